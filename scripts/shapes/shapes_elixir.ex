# Work of Elixir's standard library between nodes, for scripts/shapes/elixir. Each name that begins with w_ or W_
# is replaced by another one in each cluster; w is a list of atoms of that cluster.
defmodule W_item do
  defstruct w_key: 1, w_name: "text", w_list: []
end

defmodule W_error do
  defexception [:message, :w_key]
end

defmodule W_server do
  use GenServer
  def start_link(args), do: GenServer.start_link(__MODULE__, args, name: args[:name] || __MODULE__)
  def init(args), do: {:ok, %{w_words: args[:w_words], w_num: 0}}
  def handle_call({:w_words, n, term}, _from, s), do: {:reply, {Enum.at(s.w_words, n), term}, s}
  def handle_call(r, _from, s) do
    reply = case rem(s.w_num, 10) do
      0 -> :ok
      1 -> {:ok, r}
      2 -> {:error, :not_found}
      3 -> nil
      4 -> [r]
      5 -> %{r => s.w_num}
      6 -> %W_item{w_name: r}
      7 -> {:error, %W_error{message: "text", w_key: r}}
      8 -> MapSet.new([r])
      _ -> {:ok, DateTime.utc_now()}
    end
    {:reply, reply, %{s | w_num: s.w_num + 1}}
  end
  def handle_cast(_, s), do: {:noreply, s}
  def handle_info({from, ref, r}, s) when is_pid(from), do: (send(from, {ref, r}); {:noreply, s})
  def handle_info(_, s), do: {:noreply, s}
end

defmodule W_bag do
  use Agent
  def start_link(_), do: Agent.start_link(fn -> %{} end, name: __MODULE__)
  def w_put(key, value), do: Agent.update(__MODULE__, &Map.put(&1, key, value))
  def w_get(state), do: state
end

defmodule W_app do
  @moduledoc false
  def start(w) do
    spawn(fn ->
      children = [
        {W_server, [w_words: w]},
        W_bag,
        {Registry, keys: :duplicate, name: W_registry},
        {Task.Supervisor, name: W_tasks},
        {DynamicSupervisor, name: W_dynamic, strategy: :one_for_one},
        %{id: W_group, start: {:pg, :start_link, [W_group]}}
      ]
      {:ok, _} = Supervisor.start_link(children, strategy: :one_for_one, name: W_sup, max_restarts: 1000)
      :pg.start(:pg)
      Logger.configure(level: :error)
      Process.sleep(:infinity)
    end)
    :ok
  end

  def w_echo(x), do: x
  def w_sleep(n), do: Process.sleep(n)
  def w_fail(:w_raise), do: raise(W_error, message: "text")
  def w_fail(:w_match), do: {:ok, _} = w_echo(:error)
  def w_fail({:w_throw, x}), do: throw(x)
  def w_fail(x), do: exit(x)
  def w_says(x), do: (IO.inspect(x); IO.puts("text"))
  def w_log(x), do: (require Logger; Logger.error("text #{inspect(x)}", w_key: x))

  def work(nodes, w, seconds) do
    till = System.monotonic_time(:millisecond) + seconds * 1000
    for _ <- 1..2, do: spawn(fn -> loop(nodes, w, till) end)
    :ok
  end

  defp loop(nodes, w, till) do
    if System.monotonic_time(:millisecond) < till do
      node = Enum.random(nodes)
      {_, ref} = spawn_monitor(fn -> act(node, w) end)
      receive do
        {:DOWN, ^ref, _, _, _} -> :ok
      after 8000 -> :ok
      end
      loop(nodes, w, till)
    end
  end

  defp req(w) do
    x = Enum.random(w)
    case :rand.uniform(9) do
      1 -> x
      2 -> {x, :rand.uniform(99)}
      3 -> {x, Enum.random(w)}
      4 -> {x, "text", 1}
      5 -> %W_item{w_key: x}
      6 -> %{x => 1, w_key: "text"}
      7 -> [{x, 1}, w_key: true]
      8 -> {x, self(), nil}
      _ -> {x, %{Enum.random(w) => Enum.random(w)}, 1..3}
    end
  end

  defp act(node, w) do
    all = [node() | Node.list()]
    acts = [
      fn -> for _ <- 1..3, do: safe(fn -> GenServer.call({W_server, node}, req(w), 400) end) end,
      fn -> for _ <- 1..3, do: safe(fn -> GenServer.call({W_server, node}, req(w), 400) end) end,
      fn -> GenServer.call({W_server, node}, {:w_words, 6, 1}) end,
      fn -> GenServer.cast({W_server, node}, req(w)) end,
      fn -> GenServer.abcast(all, W_server, req(w)) end,
      fn -> GenServer.multi_call(all, W_server, {:w_words, 7, :w_x}, 500) end,
      fn -> GenServer.call({Enum.random(w), node}, req(w), 300) end,
      fn -> GenServer.call(:erpc.call(node, Process, :whereis, [W_server]), req(w), 300) end,
      fn -> Agent.get({W_bag, node}, W_bag, :w_get, []) end,
      fn -> Agent.get({W_bag, node}, & &1) end,
      fn -> Agent.update({W_bag, node}, Map, :put, [Enum.random(w), req(w)]) end,
      fn -> Agent.update({W_bag, node}, &Map.put(&1, Enum.random(w), 1)) end,
      fn -> Agent.get_and_update({W_bag, node}, &{&1, Map.take(&1, w)}) end,
      fn -> Agent.cast({W_bag, node}, &Map.delete(&1, Enum.random(w))) end,
      fn -> Task.Supervisor.async({W_tasks, node}, __MODULE__, :w_echo, [req(w)]) |> Task.await(500) end,
      fn -> Task.Supervisor.async({W_tasks, node}, fn -> node() end) |> Task.await(500) end,
      fn -> Task.Supervisor.async_nolink({W_tasks, node}, __MODULE__, :w_fail, [Enum.random([:w_raise, :w_match, {:w_throw, :w_x}, Enum.random(w)])]) |> Task.yield(300) end,
      fn -> Task.Supervisor.start_child({W_tasks, node}, __MODULE__, :w_sleep, [20]) end,
      fn -> Task.Supervisor.async_stream_nolink({W_tasks, node}, w, __MODULE__, :w_echo, [], max_concurrency: 3) |> Enum.take(4) end,
      fn -> (t = Task.Supervisor.async({W_tasks, node}, __MODULE__, :w_sleep, [500]); Task.shutdown(t, Enum.random([:brutal_kill, 10]))) end,
      fn -> Task.Supervisor.children({W_tasks, node}) end,
      fn -> DynamicSupervisor.start_child({W_dynamic, node}, {W_server, [w_words: w, name: Enum.random(w)]}) end,
      fn -> DynamicSupervisor.start_child({W_dynamic, node}, %{id: Enum.random(w), start: {W_server, :start_link, [[w_words: w, name: Enum.random(w)]]}, restart: :temporary}) end,
      fn -> for {_, p, _, _} <- DynamicSupervisor.which_children({W_dynamic, node}), do: DynamicSupervisor.terminate_child({W_dynamic, node}, p) end,
      fn -> DynamicSupervisor.count_children({W_dynamic, node}) end,
      fn -> (Supervisor.which_children({W_sup, node}); Supervisor.count_children({W_sup, node})) end,
      fn -> (Supervisor.terminate_child({W_sup, node}, W_bag); Supervisor.restart_child({W_sup, node}, W_bag)) end,
      fn -> Supervisor.start_child({W_sup, node}, {Task, fn -> Process.sleep(30) end}) end,
      fn -> :erpc.call(node, Registry, :register, [W_registry, "text", Enum.random(w)]) end,
      fn -> (:erpc.call(node, Registry, :lookup, [W_registry, "text"]); :erpc.call(node, Registry, :select, [W_registry, [{{:"$1", :_, :_}, [], [:"$1"]}]])) end,
      fn -> :erpc.call(node, Registry, :dispatch, [W_registry, "text", &Enum.each(&1, fn {p, _} -> send(p, :w_x) end)]) end,
      fn -> :rpc.call(node, __MODULE__, :w_echo, [req(w)]) end,
      fn -> (:rpc.multicall(__MODULE__, :w_echo, [req(w)]); :erpc.multicall(all, __MODULE__, :w_echo, [req(w)])) end,
      fn -> :erpc.call(node, __MODULE__, :w_fail, [Enum.random([:w_raise, :w_match, {:w_throw, :w_x}, Enum.random(w)])]) end,
      fn -> :rpc.call(node, __MODULE__, :w_fail, [Enum.random([:w_raise, :w_match, {:w_throw, :w_x}, Enum.random(w)])]) end,
      fn -> :erpc.call(node, __MODULE__, :w_sleep, [200], 50) end,
      fn -> :erpc.call(node, fn -> %{node() => System.version()} end) end,
      fn -> :erpc.call(node, Enum.random(w), Enum.random(w), []) end,
      fn -> :erpc.call(node, Application, :started_applications, []) end,
      fn -> (:erpc.call(node, Application, :spec, [:elixir]); :erpc.call(node, Application, :get_env, [:logger, :level]); :erpc.call(node, Application, :get_all_env, [:elixir])) end,
      fn -> (:erpc.call(node, System, :build_info, []); :erpc.call(node, Code, :ensure_loaded, [W_item]); :erpc.call(node, Code, :available_compilers, [])) end,
      fn -> (:erpc.call(node, System, :version, []); :erpc.call(node, Code, :eval_string, ["1 + x", [x: 1]]); :erpc.call(node, Code, :eval_string, [":w_x |> nope()"])) end,
      fn -> (:erpc.call(node, Process, :info, [self()]); :erpc.call(node, Process, :list, []); :erpc.call(node, Process, :registered, [])) end,
      fn -> (:erpc.call(node, File, :stat, ["/etc/hostname"]); :erpc.call(node, File, :read, ["/none"]); :erpc.call(node, File, :ls, ["/etc/apt"]); :erpc.call(node, File, :read!, ["/none"])) end,
      fn -> (:erpc.call(node, URI, :parse, ["http://a.example/b?c=d"]); :erpc.call(node, Version, :parse, ["1.2.3"]); :erpc.call(node, Regex, :compile, ["a.*"])) end,
      fn -> (:erpc.call(node, DateTime, :utc_now, []); :erpc.call(node, Date, :utc_today, []); :erpc.call(node, NaiveDateTime, :utc_now, []); :erpc.call(node, Time, :utc_now, [])) end,
      fn -> (:erpc.call(node, Map, :fetch!, [%{}, :w_x]); :ok) end,
      fn -> (:erpc.call(node, String, :to_integer, ["x"]); :ok) end,
      fn -> (Node.spawn(node, __MODULE__, :w_says, [req(w)]); Process.sleep(20)) end,
      fn -> (Node.spawn_link(node, fn -> IO.puts("text") end); Process.sleep(20)) end,
      fn -> (Node.spawn(node, __MODULE__, :w_log, [Enum.random(w)]); Process.sleep(20)) end,
      fn -> (Node.spawn_monitor(node, __MODULE__, :w_fail, [Enum.random([:w_raise, :w_match, {:w_throw, :w_x}, Enum.random(w)])]); Process.sleep(20)) end,
      fn -> (p = Node.spawn(node, __MODULE__, :w_sleep, [5000]); Process.monitor(p); Process.exit(p, Enum.random([:kill, :shutdown, {:shutdown, Enum.random(w)}, Enum.random(w)])); Process.sleep(20)) end,
      fn -> (r = Process.monitor({W_server, node}); Process.demonitor(r, [:flush]); Process.monitor({Enum.random(w), node}); Process.sleep(5)) end,
      fn -> (send({W_server, node}, {self(), make_ref(), req(w)}); Process.send({W_server, node}, req(w), [:noconnect]); receive do _ -> :ok after 100 -> :ok end) end,
      fn -> (:sys.get_state({W_server, node}); :sys.get_status({W_server, node}); :sys.replace_state({W_server, node}, & &1)) end,
      fn -> (x = Enum.random(w); :global.register_name(x, self()); :global.whereis_name(x); :global.send(x, req(w)); Process.sleep(20); :global.unregister_name(x)) end,
      fn -> (x = {W_item, Enum.random(w)}; :global.register_name(x, self()); Process.sleep(20)) end,
      fn -> GenServer.start(W_server, [w_words: w], name: {:global, Enum.random(w)}) end,
      fn -> GenServer.call({:global, Enum.random(w)}, req(w), 200) end,
      fn -> :global.trans({Enum.random(w), self()}, fn -> Process.sleep(5) end) end,
      fn -> (x = Enum.random(w); :pg.join(x, self()); for(p <- :pg.get_members(x), do: send(p, req(w))); Process.sleep(20)) end,
      fn -> (:pg.join(W_group, {W_item, "text"}, self()); for(p <- :pg.get_members(W_group, {W_item, "text"}), do: send(p, {:w_x, "text", req(w)})); Process.sleep(40)) end,
      fn -> (Node.ping(node); Node.monitor(node, true); Node.monitor(node, false); Node.list([:connected, :hidden])) end
    ]
    :rand.seed(:exsss, {:erlang.unique_integer(), System.os_time(), 1})
    safe(Enum.random(acts))
    Process.sleep(:rand.uniform(6))
  end

  defp safe(fun) do
    try do
      fun.()
    catch
      _, _ -> :ok
    end
  end
end
