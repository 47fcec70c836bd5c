# Tests over a recorded conversation: made by distsniff -T exunit, never written over by it.
defmodule Distsniff.Edited do
  # ---- to be edited -------------------------------------------------------------------------

  # The recording: a module that distsniff -T erlmod wrote, and writes anew.
  def fixture, do: :"@FIXTURE@"

  # The decoder under test: external format, 131 first, to a term.
  def decode(external), do: :erlang.binary_to_term(external)

  # Who is asked when recorded calls are made again: for the name of the recorded callee, or the
  # label of calls to no name (:"erpc:call"), a registered name or pid, which gets a
  # GenServer.call/2, or a function of the request ({module, function, args} where it names one).
  #     %{calc: :calc, kv: &KV.handle/1}
  def servers, do: %{}

  # Whether an answer is the recorded one.
  def same?(recorded, answer), do: recorded === answer

  # What runs before the calls: start the servers.
  def setup, do: :ok

  # What the digests of the handshakes are checked with: nil, a cookie (an atom), or
  # {:file, name}.
  def cookie, do: :"@COOKIE@"

  # ---- not to be edited ---------------------------------------------------------------------

  # load compiles the recording, which lies beside this file, unless it is there.
  def load do
    if not Code.ensure_loaded?(fixture()) do
      file = Path.join(__DIR__, "#{fixture()}.erl")
      {:ok, module, binary} = :compile.file(String.to_charlist(file), [:binary, :return_errors])
      {:module, _} = :code.load_binary(module, String.to_charlist(file), binary)
    end

    fixture()
  end

  def key(%{callee: %{name: name}}), do: name
  def key(%{label: label}), do: label
  def key(_), do: nil

  def calls do
    for %{outcome: :ok, result: _} = call <- load().calls(),
        is_map_key(call, :request) or is_map_key(call, :args),
        do: call
  end

  def request(%{module: m, function: f, args: a}), do: {m, f, a}
  def request(%{request: request}), do: request

  def ask(fun, request) when is_function(fun, 1), do: fun.(request)
  def ask(server, request), do: GenServer.call(server, request)

  def cookie_text({:file, name}), do: name |> File.read!() |> String.split() |> hd()
  def cookie_text(cookie), do: Atom.to_string(cookie)

  def digests(frames) do
    steps = for %{kind: :handshake} = frame <- frames, do: frame

    for %{step: step, conn: conn, dst: to, digest: digest} <- steps,
        %{conn: ^conn, src: ^to, challenge: challenge} <- steps,
        do: {conn, step, challenge, digest}
  end
end

if Process.whereis(ExUnit.Server) == nil, do: ExUnit.start()

defmodule Distsniff.RecordedTest do
  use ExUnit.Case
  alias Distsniff.Edited

  setup_all do
    Edited.load()
    :ok
  end

  test "what was sent decodes to the recorded terms" do
    for {message, n} <- whole_messages(), not is_map_key(message, :refused) do
      external = message.external
      recorded = for key <- [:control, :term], is_map_key(message, key), do: message[key]
      assert {n, Enum.map(external, &Edited.decode/1)} === {n, recorded}
    end
  end

  test "what no node reads is refused" do
    for {%{refused: why} = message, n} <- whole_messages() do
      read = Enum.reject(message.external, &refuses?/1)
      assert {n, why, read} !== {n, why, message.external}
    end
  end

  defp refuses?(external) do
    Edited.decode(external)
    false
  rescue
    _ -> true
  end

  defp whole_messages do
    for {message, n} <- Enum.with_index(Edited.fixture().messages(), 1),
        external = Map.get(message, :external),
        :damaged not in external,
        do: {message, n}
  end

  for server <- Edited.calls() |> Enum.map(&Edited.key/1) |> Enum.uniq() do
    if not is_map_key(Edited.servers(), server) do
      @tag skip: "Edited.servers/0 does not name #{inspect(server)}"
    end

    test "calls of #{inspect(server)} give the recorded results" do
      Edited.setup()
      server = unquote(Macro.escape(server))

      for call <- Edited.calls(), Edited.key(call) === server do
        answer = Edited.ask(Edited.servers()[server], Edited.request(call))
        if not Edited.same?(call.result, answer), do: assert(answer === call.result)
      end
    end
  end

  if Edited.cookie() == nil, do: @tag(skip: "Edited.cookie/0 names none")

  test "the digests of the handshakes are those of the cookie" do
    cookie = Edited.cookie_text(Edited.cookie())

    for {conn, step, challenge, digest} <- Edited.digests(Edited.fixture().frames()) do
      assert {conn, step, :erlang.md5([cookie, Integer.to_string(challenge)])} ===
               {conn, step, digest}
    end
  end
end
