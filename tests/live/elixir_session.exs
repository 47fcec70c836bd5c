# elixir_session.exs serve READY: a cart, and a stand-in for Phoenix.PubSub.
# elixir_session.exs ask NODE FILE: calls and casts to them, and writes the messages as inspect
# does.
defmodule Shop.Item do
  defstruct [:name]
end

defmodule Shop.Broadcast do
  defstruct [:event]
end

defmodule Shop.Refused do
  defexception [:message]
end

defmodule Shop.Cart do
  use GenServer
  def init(items), do: {:ok, items}
  def describe(name), do: %Shop.Item{name: name}

  def handle_call({:add, item}, _from, items), do: {:reply, :ok, [item | items]}
  def handle_call({:echo, term}, _from, items), do: {:reply, {:ok, term}, items}
  def handle_call(:refuse, _from, _items), do: raise(Shop.Refused, message: ~s(no "tea" today))
  def handle_cast(_note, items), do: {:noreply, items}
end

defmodule Shop.Session do
  @told [
    {:note, "a\"b\#{c}\n", nil},
    {:note, [at: ~D[2026-01-31], for: 1..10//2], true}
  ]
  @echoed [
    :ok, :"foo bar", Shop.Cart, "größe", <<1, 2, 255>>, <<3::3>>, 1.5e300, 1.0e-5, -7, [1, 2 | :c],
    %{"k" => %{a: 1}}, [a: 1, b: [c: nil]], MapSet.new([1, 2]), ~T[12:00:00.5], ~U[2026-01-31 12:00:00Z],
    5..1//-1, &Enum.map/2, {:error, %Shop.Item{name: nil}}
  ]

  def run(["serve", ready]) do
    Logger.configure(level: :none)
    start()
    pid = spawn(fn -> Process.sleep(:infinity) end)
    Process.register(pid, Shop.PubSub)
    File.write!(ready, "")
    Process.sleep(:infinity)
  end

  def run(["ask", node, file]) do
    node = String.to_atom(node)
    true = Node.connect(node)
    cart = {Shop.Cart, node}
    :ok = GenServer.call(cart, add = {:add, %Shop.Item{name: "tea"}})
    for term <- @echoed, do: {:ok, ^term} = GenServer.call(cart, {:echo, term})
    for note <- @told, do: :ok = GenServer.cast(cart, note)
    %Shop.Item{} = :erpc.call(node, Shop.Cart, :describe, ["tea"])
    published = for message <- [%Shop.Broadcast{event: "presence_diff"}, {:tick, 1}],
      do: {:forward_to_local, "room:1", message, Shop.Dispatcher}
    tracked = {:forward_to_local, "phx_presence", {:pub, :heartbeat, {:replica, 1}, :empty, %{}}, Shop.Tracker}
    for message <- [tracked | published], do: send({Shop.PubSub, node}, message)
    {:shutdown, _} = catch_exit(cart)
    said = [add, tracked | published] ++ @told ++ Enum.map(@echoed, &{:echo, &1})
    options = [limit: :infinity, printable_limit: :infinity, width: :infinity]
    File.write!(file, for(term <- said, do: [inspect(term, options), "\n"]))
    :erpc.cast(node, System, :halt, [0])
    Process.sleep(500)
  end

  defp start, do: GenServer.start(Shop.Cart, [], name: Shop.Cart)

  defp catch_exit(cart) do
    GenServer.call(cart, :refuse)
  catch
    :exit, {{%Shop.Refused{}, _}, _} -> {:shutdown, :refused}
  end
end

Shop.Session.run(System.argv())
