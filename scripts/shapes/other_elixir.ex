# other_elixir.ex - other work of Elixir between nodes than that of shapes_elixir.ex, for what is held out (held_out): a
# cache, sessions, jobs and counts, as programs have them.
defmodule W_session do
  defstruct [:w_user, :w_since, w_items: [], w_state: :active]
end

defmodule W_cache do
  use GenServer
  def start_link(_), do: GenServer.start_link(__MODULE__, :ok, name: __MODULE__)
  def init(:ok), do: {:ok, %{}}
  def handle_call({:fetch, key}, _, s), do: {:reply, Map.fetch(s, key), s}
  def handle_call({:put, key, value}, _, s), do: {:reply, :ok, Map.put(s, key, value)}
  def handle_call({:pop, key}, _, s), do: (({v, s} = Map.pop(s, key)); {:reply, v, s})
  def handle_call(:stats, _, s), do: {:reply, %{size: map_size(s), node: node(), memory: :erlang.memory(:total)}, s}
  def handle_cast({:delete, key}, s), do: {:noreply, Map.delete(s, key)}
  def handle_info({:broadcast, _topic, _message}, s), do: {:noreply, s}
end

defmodule W_app do
  def start(_w) do
    spawn(fn ->
      children = [W_cache, {Agent, fn -> 0 end} |> Supervisor.child_spec(id: :count, start: {Agent, :start_link, [fn -> 0 end, [name: W_count]]}),
                  {Task.Supervisor, name: W_jobs}, {DynamicSupervisor, name: W_pool, strategy: :one_for_one}]
      {:ok, _} = Supervisor.start_link(children, strategy: :rest_for_one)
      :pg.start(:pg)
      :pg.join(:w_topic, Process.whereis(W_cache))
      Logger.configure(level: :error)
      Process.sleep(:infinity)
    end)
    :ok
  end

  def w_job(n), do: Enum.reduce(1..n, 0, &+/2)
  def w_bad(_), do: raise(ArgumentError, "bad job")

  def work(nodes, _w, seconds) do
    till = System.monotonic_time(:millisecond) + seconds * 1000
    for _ <- 1..2, do: spawn(fn -> loop(nodes, 1, till) end)
    :ok
  end

  defp loop(nodes, n, till) do
    {_, ref} = spawn_monitor(fn -> act(Enum.random(nodes), n) end)
    receive do
      {:DOWN, ^ref, _, _, _} -> :ok
    after 8000 -> :ok
    end
    Process.sleep(:rand.uniform(8))
    if System.monotonic_time(:millisecond) < till, do: loop(nodes, n + 1, till)
  end

  defp act(node, n) do
    key = {:user, rem(n, 50)}
    to = {W_cache, node}
    session = %W_session{w_user: "user#{n}", w_since: DateTime.utc_now(), w_items: [%{id: n, name: "text", price: Decimal}]}
    acts = [
      fn -> (GenServer.call(to, {:put, key, session}); GenServer.call(to, {:fetch, key})) end,
      fn -> (GenServer.call(to, {:pop, key}); GenServer.cast(to, {:delete, key})) end,
      fn -> (GenServer.call(to, {:put, key, {:ok, MapSet.new([n, key])}}); GenServer.call(to, :stats)) end,
      fn -> GenServer.multi_call([node() | Node.list()], W_cache, :stats, 500) end,
      fn -> (Agent.update({W_count, node}, &(&1 + 1)); Agent.get({W_count, node}, & &1)) end,
      fn -> Task.Supervisor.async_nolink({W_jobs, node}, W_app, :w_job, [n]) |> Task.await(500) end,
      fn -> Task.Supervisor.async_nolink({W_jobs, node}, W_app, :w_bad, [n]) |> Task.yield(500) end,
      fn -> (Task.Supervisor.start_child({W_jobs, node}, fn -> W_app.w_job(3) end); Task.Supervisor.children({W_jobs, node})) end,
      fn -> for p <- :pg.get_members(:w_topic), do: send(p, {:broadcast, "topic:#{rem(n, 5)}", session}) end,
      fn -> (DynamicSupervisor.start_child({W_pool, node}, {Task, fn -> Process.sleep(20) end}); DynamicSupervisor.count_children({W_pool, node})) end,
      fn -> (:erpc.call(node, System, :otp_release, []); :erpc.call(node, System, :schedulers_online, []); :erpc.call(node, Application, :loaded_applications, [])) end,
      fn -> (:erpc.call(node, Enum, :map, [[1, 2], &to_string/1]); :erpc.call(node, Integer, :parse, ["12x"]); :erpc.call(node, Keyword, :fetch!, [[a: 1], :b])) end,
      fn -> (:erpc.call(node, File, :exists?, ["/etc"]); :erpc.call(node, Path, :wildcard, ["/etc/host*"]); :erpc.call(node, File, :stat!, ["/none"])) end,
      fn -> (:rpc.call(node, Process, :whereis, [W_cache]); :rpc.call(node, Process, :info, [self(), :memory]); :rpc.call(node, Supervisor, :count_children, [:kernel_sup])) end,
      fn -> (Node.spawn_link(node, Process, :sleep, [5]); Node.ping(node); Process.monitor({W_none, node})) end,
      fn -> (:global.register_name({:leader, rem(n, 4)}, self()); :global.whereis_name({:leader, rem(n, 4)}); :global.unregister_name({:leader, rem(n, 4)})) end,
      fn -> :global.trans({:resource, self()}, fn -> :done end) end,
      fn -> (:erpc.call(node, Date, :from_iso8601, ["2024-02-30"]); :erpc.call(node, DateTime, :from_unix, [n]); :erpc.call(node, Time, :new, [1, 2, 3])) end,
      fn -> (:erpc.call(node, Range, :new, [1, 5]); :erpc.call(node, Version, :compare, ["1.0.0", "1.0.1"]); :erpc.call(node, URI, :new, ["http://x.test/?q"])) end,
      fn -> (r = :erpc.send_request(node, W_app, :w_job, [n]); :erpc.receive_response(r, 500)) end,
      fn -> Enum.to_list(Task.Supervisor.async_stream({W_jobs, node}, [1, 2, 3], W_app, :w_job, [])) end
    ]
    try do
      Enum.random(acts).()
    catch
      _, _ -> :ok
    end
  end
end
