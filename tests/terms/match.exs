# match.exs MATCH_TOOL: matches terms with patterns of -m in Elixir's syntax, and reports where the
# clause of a case with the same head chooses others. A pattern that could be Erlang as well is
# Erlang.
defmodule Shop.Cart do
  defstruct [:id, :owner]
end

defmodule Main do
  def patterns do
    ["_", ":ok", "nil", "{:ok, x}", "{:ok, x} when is_integer(x)", "{x, ^x}", "[]", "[_ | _]",
     "[a: 1]", "[a: 1, b: x]", "[a: x] when x > 1", "[{:a, 1} | t]", "[h | _] when h == :a",
     "%{}", "%{a: 1}", "%{a: _, b: b} when b in [1, 2]", "%{:a => x, \"k\" => x}", "%{\"k\" => v} when v != 1",
     "%{a: %{b: [c: _]}}", "%Shop.Cart{}", "%Shop.Cart{id: 7}", "%Shop.Cart{owner: nil}", "%_{id: id} when id > 6",
     "%name{} when name == Shop.Cart", "%Range{first: 1}", "%Date{year: 2026, month: m} when m <= 6",
     "{:ok, \"abc\"}", "\"ab\" <> rest", "\"ab\" <> _", "\"a\" <> r when r == \"bc\"", "\"é\" <> _",
     "\"\\u00e9\" <> _", "<<a, _::binary>> when a > ?a", "<<n::8, b::binary-size(n)>>", "<<1::4, _::bitstring>>",
     "<<x::16-little>> when x == 0x6261", "<<\"a\", r::bitstring>> when bit_size(r) == 16",
     "~c\"abc\"", "[?a | _]", "x when is_nil(x)", "x when is_atom(x) and not is_nil(x)",
     "x when is_boolean(x) or x === 1.0", "x when x in 1..10", "x when x not in 1..10", "x when x in [:ok, 1, \"abc\"]",
     "x when elem(x, 1) == 2", "x when is_tuple(x) and tuple_size(x) == 2 and elem(x, 0) in [:a, :ok]",
     "x when is_struct(x)", "x when is_exception(x)", "x when is_map(x) and map_size(x) == 2",
     "x when is_integer(x) and rem(x, 2) == 0", "x when is_integer(x) and div(x, 2) * 2 !== x", "x when x == 1",
     "x when x === 1", "x when x + 1 > 2.5", "x when length(x) == 2", "x when hd(x) == :a", "1.0", "-1", "1_000",
     "{:a, {x, _}, [y]} when x < y", "{x, y} = z when tuple_size(z) == 2 and x <= y", "Shop.Cart", ":\"foo bar\"",
     "{:\"foo bar\", :+}", "x when byte_size(x) > 2", "x when is_binary(x) and x >= \"b\"", "x when abs(x) == 1",
     "x when (x == 1 or x == 2) and x != 2", "{:ok, x} when x &&& 1", "x when is_list(x) and x != []"]
  end

  def terms do
    [:ok, nil, true, 1, 2, 1.0, -1, 1000, 2.5, :"foo bar", Shop.Cart, {}, {:ok, 1}, {:ok, :a}, {1, 1}, {1, 2}, {:a, 2},
     {:a, {1, 2}, [3]}, {:a, {4, 2}, [3]}, {:"foo bar", :+}, [], [:a], [:a, :b], [a: 1], [a: 2], [a: 1, b: 2], [1, 2 | 3],
     %{}, %{a: 1}, %{a: 1, b: 2}, %{a: 1, b: 3}, %{:a => 1, "k" => 1}, %{"k" => 2}, %{a: %{b: [c: 0]}},
     struct(Shop.Cart), struct(Shop.Cart, id: 7), struct(Shop.Cart, id: 7, owner: "x"), 1..3, ~D[2026-05-01],
     ~D[2026-07-01], struct(ArgumentError), "", "abc", "ab", "a", "b", "bcd", "é", "éa", "a\nb", <<1, 2>>, <<2, 1, 2>>,
     <<0x1F, 3::3>>, <<16>>, ~c"abc", ~c"a", [?a], {:ok, 1, 2}, 11, 10, 0, 3, 4, 123456789012345678901234567890]
  end

  def run([tool]) do
    Code.compiler_options(ignore_module_conflict: true)
    terms = terms()
    patterns = Enum.filter(patterns(), &(expected(&1, []) == []))
    input = for pattern <- patterns do
      [block(pattern), <<length(terms)::32>>, for(t <- terms, do: block(:erlang.term_to_binary(t)))]
    end
    file = Path.join(System.tmp_dir!(), "match.#{System.pid()}")
    File.write!(file, input)
    {out, 0} = System.cmd("/bin/sh", ["-c", "exec \"$0\" <\"$1\"", tool, file])
    File.rm!(file)
    wrong = check(patterns, terms, out)
    IO.puts("#{length(patterns)} patterns, #{length(terms)} terms, #{wrong} wrong")
    System.halt(if wrong == 0 and length(patterns) > 60, do: 0, else: 1)
  end

  defp block(bytes), do: [<<byte_size(bytes)::32>>, bytes]

  # The terms that the clause chooses; nil if Elixir does not accept it.
  defp expected(pattern, terms) do
    {fun, _} = Code.eval_string("fn v -> case v do\n#{pattern} -> 1\n_ -> 0\nend end")
    Enum.map(terms, fun)
  rescue
    _ -> nil
  end

  defp check([], _, ""), do: 0

  defp check([pattern | patterns], terms, <<len::32, error::binary-size(len), rest::binary>>) do
    num = length(terms)
    <<results::binary-size(num), rest::binary>> = rest
    wanted = expected(pattern, terms)
    got = :binary.bin_to_list(results)
    parts = for {t, w, g} <- Enum.zip([terms, wanted, got]), w != g, do: t
    if error != "", do: IO.puts("#{pattern}: #{error}")
    if parts != [], do: IO.puts("#{pattern}: wrong for #{inspect(Enum.take(parts, 5))}")
    if(error != "" or parts != [], do: 1, else: 0) + check(patterns, terms, rest)
  end
end

Main.run(System.argv())
