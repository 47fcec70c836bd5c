# notebook.exs PROGRAM PCAPS ERL_DIR DIR: the notebook of -T livemd. Its code runs here, cell by
# cell, as Livebook runs it, over the data beside it; Kino and VegaLite here replace the packages,
# which a test cannot install, and record their arguments. No text of peers is in the notebook, the
# data are literals, and charts contain only letters, digits and codes.
defmodule Given do
  def start, do: Agent.start_link(fn -> [] end, name: __MODULE__)
  def add(what), do: Agent.update(__MODULE__, &[what | &1])
  def take, do: Agent.get_and_update(__MODULE__, &{Enum.reverse(&1), []})
end

defmodule Kino.DataTable do
  def new(rows, options) do
    keys = options[:keys] || Map.keys(hd(rows))
    for row <- rows, key <- keys, do: true = is_map_key(row, key)
    Given.add({:table, Keyword.fetch!(options, :name), rows})
  end
end

defmodule Kino.Mermaid do
  def new(text) when is_binary(text), do: Given.add({:mermaid, text})
end

defmodule VegaLite do
  defstruct [:title, :values, :mark, fields: %{}]
  def new(options), do: %VegaLite{title: Keyword.fetch!(options, :title)}
  def data_from_values(chart, values), do: %{chart | values: Enum.to_list(values)}
  def mark(chart, mark, _options), do: %{chart | mark: mark}

  def encode_field(chart, channel, field, _options \\ []) do
    for row <- chart.values, do: true = is_map_key(row, field)
    chart = %{chart | fields: Map.put(chart.fields, channel, field)}
    if channel in [:color, :y], do: Given.add({:chart, chart})
    chart
  end
end

defmodule Check do
  def fail(text) do
    IO.puts(:stderr, "notebook: #{text}")
    System.halt(1)
  end

  def that(true, _text), do: :ok
  def that(_, text), do: fail(text)

  # Code.eval_file runs nothing if these are all there is.
  def literal?({:%{}, _, pairs}), do: literal?(pairs)
  def literal?({:{}, _, list}), do: literal?(list)
  def literal?({a, b}), do: literal?(a) and literal?(b)
  def literal?(list) when is_list(list), do: Enum.all?(list, &literal?/1)
  def literal?({:-, _, [number]}), do: is_number(number)
  def literal?(other), do: is_number(other) or is_binary(other) or is_atom(other)

  def cells(text) do
    for [_, code] <- Regex.scan(~r/^```elixir\n(.*?)^```$/ms, text), do: code
  end

  def run(cell, binding, file) do
    {_, binding} = Code.eval_string(cell, binding, file: file)
    binding
  end

  def capture(program, dir, name, options) do
    file = Path.join(dir, name <> ".livemd")
    {said, status} =
      System.cmd(program, options ++ ["-T", "livemd=#{file}"], stderr_to_stdout: true)

    that(status == 0, "#{inspect(options)}: #{status}: #{said}")
    text = File.read!(file)
    data = File.read!(Path.join(dir, name <> ".exs"))
    [setup | cells] = cells(text)
    {{:., _, [{:__aliases__, _, [:Mix]}, :install]}, _, [_]} = Code.string_to_quoted!(setup)
    that(literal?(Code.string_to_quoted!(data)), "#{name}: the data are not literals")
    that(length(cells) == 6, "#{name}: #{length(cells)} cells")
    binding = Enum.reduce(cells, [], &run(&1, &2, file))
    given = Given.take()
    charts = Map.new(for {:chart, chart} <- given, do: {chart.title, chart})
    tables = Map.new(for {:table, name, rows} <- given, do: {name, rows})
    [mermaid] = for {:mermaid, text} <- given, do: text
    that(map_size(charts) == 2 and map_size(tables) == 3, "#{name}: something is not shown")
    ["sequenceDiagram", "    autonumber" | lines] = String.split(mermaid, "\n")
    plain = "[A-Za-z0-9 ._@/,()#;]*"
    arrow = ~r/^    (participant P\d+ as #{plain}|P\d+--?>>P\d+: #{plain})$/

    for line <- lines,
        not Regex.match?(arrow, line) or
          String.contains?(Regex.replace(~r/#\d+;/, line, ""), ["#", ";"]),
        do: fail("#{name}: drawn is #{inspect(line)}")

    [_, num] = Regex.run(~r/connections?, (\d+) message/, said)
    sent = charts["Messages over time"].values |> Enum.map(& &1["messages"]) |> Enum.sum()
    that(sent == String.to_integer(num) or "-Y" in options, "#{name}: #{sent} of #{num} messages over time")
    timed = charts["Calls by start and latency"].values |> Enum.map(& &1["calls"]) |> Enum.sum()

    %{text: text, data: data, lines: lines, timed: timed, value: binding[:data], said: said,
      messages: tables["Messages"], calls: tables["Calls, the slowest first"]}
  end
end

[program, pcaps, erl_dir, dir] = System.argv()
File.mkdir_p!(dir)
{:ok, _} = Given.start()
true = Code.append_path(erl_dir)
pcap = &["-r", Path.join(pcaps, &1)]
shown = Check.capture(program, dir, "elixir", pcap.("elixir-1.14.pcap.gz") ++ ["--syntax", "elixir"])
Check.that(length(shown.calls) == shown.timed and shown.timed > 100, "calls are missing")
Check.that(length(shown.lines) == 24 + Enum.count(shown.lines, &(&1 =~ "participant")), "12 calls")
Check.that(Enum.any?(shown.messages, &(&1.text =~ "%{")), "no map of Elixir's")
Check.that(Enum.sort_by(shown.calls, & &1.latency, :desc) == shown.calls, "not the slowest first")

# If there is no room for all, the latest are there, and the first ones.
small = Check.capture(program, dir, "small", pcap.("elixir-1.14.pcap.gz") ++
  ["--max-page-bytes", "60000", "--max-page-messages", "200", "--max-page-calls", "20"])
Check.that(byte_size(small.data) <= 60_000, "#{byte_size(small.data)} bytes of 60000")
Check.that(length(small.messages) <= 200 and length(small.calls) <= 20, "more than asked for")
Check.that(small.value.about.messages == shown.value.about.messages, "what is left out is not counted")
Check.that(List.last(small.messages).time == List.last(shown.messages).time, "the last is not there")
Check.that(hd(small.messages).time == hd(shown.messages).time, "the first is not there")
none = Check.capture(program, dir, "none", pcap.("elixir-1.14.pcap.gz") ++ ["-Y", "conn == 999"])
Check.that({none.calls, none.messages, none.lines} == {[], [], []}, "what was not chosen")

# Texts of peers stay text; and so does the name that the user gives the file.
:ok = :forged_json.captures(String.to_charlist(dir))
for {name, options} <- [{"hostile", []}, {"a\"\#{System.halt(9)}\n```\n\\", ["--syntax", "elixir"]}] do
  hostile = Check.capture(program, dir, name,
    ["-r", Path.join(dir, "dist.pcap"), "--dist-port", "9100" | options])
  Check.that(length(hostile.messages) > 1000, "#{name}: #{length(hostile.messages)} messages")
  Check.that(Check.cells(hostile.text) |> tl |> tl == Check.cells(shown.text) |> tl |> tl,
    "#{name}: the notebook is another one")
end

# Safe to share: the script redact looks for more secrets.
redacted = Check.capture(program, dir, "redacted", pcap.("secrets.pcap.gz") ++ ["--redact", "all"])
Check.that(redacted.value.about.redacted, "it does not say that it is redacted")
open = Check.capture(program, dir, "open", pcap.("secrets.pcap.gz"))
Check.that(open.data =~ "ledgerline" and not (redacted.data =~ "ledgerline"), "a name is left")
