# Reads back what term_tool wrote as Elixir: DIR/N.exs must be the list in DIR/N.etf, and print
# nothing on standard error when it is read (where this script also prints).
[dir] = System.argv()

for source <- Path.wildcard(Path.join(dir, "*.exs")) do
  expected = :erlang.binary_to_term(File.read!(Path.rootname(source) <> ".etf"))
  {terms, []} = Code.eval_file(source)

  if length(terms) != length(expected), do: raise("#{length(terms)} of #{length(expected)} terms")

  # === does not distinguish 0.0 from -0.0; the encoding does.
  for {a, b} <- Enum.zip(terms, expected),
      a !== b or :erlang.term_to_binary(a) != :erlang.term_to_binary(b) do
    IO.puts("#{Path.basename(source)}: #{inspect(a, limit: 20)}, not #{inspect(b, limit: 20)}")
  end
end
