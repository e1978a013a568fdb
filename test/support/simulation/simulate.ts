import { SimCluster, type SimOptions } from './sim-cluster.ts'
import type { SimProcess } from './sim-process.ts'

export interface LoadOptions extends SimOptions {
  calls: number
  callsPerSecond: number
  /** Each refreshes its registration every 300 seconds. */
  phones: number
}

interface Traffic {
  /** Messages that a process hears per second, by the first word of the subject. */
  heardPerProcess: Record<string, number>
  sentPerSecond: number
  deliveredPerSecond: number
  statementsPerSecond: number
  transactionsPerSecond: number
  statements: Record<string, number>
}

interface Loss {
  processes: number
  calls: number
  /** Calls without a running process at the end. */
  lost: number
  noticedMs: { first: number; p50: number; last: number } | undefined
  /** Share of the notices that were expected: each running process notices each lost one. */
  noticed: number
  takeoverMs: { p50: number; p99: number; max: number } | undefined
  maxStatementsPerSecond: number
  /** Transactions that claimed calls. */
  claims: number
}

export interface SimReport {
  steady: Traffic
  killed: Loss
  region: Loss
  /** Calls that two processes sent into, and the longest time. */
  doubles: number
  maxDoubleMs: number
  /** Times at which a process stopped sending, until a region was lost. */
  silences: number
  /** Calls in the store whose owner does not know them. */
  orphans: number
  failures: Record<string, number>
}

const fillMs = 10_000
const steadyMs = 10_000
const refreshSeconds = 300
const stepMs = 10
const killAftermathMs = 10_000
/** The lease of a lost process decides after 15 to 23 seconds. */
const regionAftermathMs = 25_000
const stallMs = 4_000

/** Runs a cluster under load, kills a process, stalls one, and loses a region. */
export const simulate = async (options: LoadOptions, note: (phase: string) => void = () => {}): Promise<SimReport> => {
  const cluster = new SimCluster(options)
  const { time, senders } = cluster
  note('start')
  await cluster.settle()
  note('calls')
  await repeat(cluster, fillMs, (options.calls * stepMs) / fillMs, () => cluster.call())
  await time.run(1_000)
  note('steady')
  const load = keepUp(cluster, options)
  const steady = await measure(cluster, steadyMs)
  note('kill')
  const [first] = cluster.running
  const killed = await lose(cluster, first ? [first] : [], killAftermathMs)
  note('region')
  const { silences } = cluster
  const region = await lose(cluster, ofLastRegion(cluster, options), regionAftermathMs)
  note('stall')
  const stalled = cluster.running[1]
  if (stalled) cluster.stall(stalled, stallMs)
  await time.run(stallMs + 10_000)
  load.stop()
  await time.run(1_000)
  senders.finish()
  const orphans = [...cluster.store.calls.keys()].filter((callId) => !senders.isAlive(callId)).length
  return {
    steady,
    killed,
    region,
    doubles: senders.doubles,
    maxDoubleMs: senders.maxDoubleMs,
    silences,
    orphans,
    failures: Object.fromEntries(cluster.failures),
  }
}

export interface SplitOptions extends SimOptions {
  calls: number
  /** What the region does not reach. Default: the buses of the others and the database. */
  cut?: readonly ('bus' | 'database')[]
}

export interface SplitReport {
  calls: number
  /** Calls of the region that other processes took over. */
  taken: number
  /** Calls that two processes sent into, and the longest time. */
  doubles: number
  maxDoubleMs: number
  orphans: number
}

const splitMs = 40_000
const healedMs = 20_000

/** Cuts a region off from the others, and joins it again. */
export const simulateSplit = async ({ cut = ['bus', 'database'], ...options }: SplitOptions): Promise<SplitReport> => {
  const cluster = new SimCluster(options)
  const { time, senders, net, store } = cluster
  await cluster.settle()
  await repeat(cluster, fillMs, (options.calls * stepMs) / fillMs, () => cluster.call())
  await time.run(1_000)
  const region = options.regions.at(-1) ?? ''
  const calls = cluster.callsOf(ofLastRegion(cluster, options))
  const broken = cut.map((what) => (what === 'bus' ? net.cut : store.cut))
  for (const links of broken) links.add(region)
  await time.run(splitMs)
  for (const links of broken) links.delete(region)
  await time.run(healedMs)
  senders.finish()
  return {
    calls: calls.length,
    taken: calls.filter((callId) => senders.takenAt.has(callId)).length,
    doubles: senders.doubles,
    maxDoubleMs: senders.maxDoubleMs,
    orphans: [...store.calls.keys()].filter((callId) => !senders.isAlive(callId)).length,
  }
}

const ofLastRegion = ({ running }: SimCluster, { regions }: SimOptions): SimProcess[] =>
  running.filter(({ host }) => host.region === regions.at(-1))

/** Calls `act` about `perStep` times in each step. */
const repeat = async ({ time }: SimCluster, ms: number, perStep: number, act: () => void): Promise<void> => {
  let owed = 0
  for (let passed = 0; passed < ms; passed += stepMs) {
    for (owed += perStep; owed >= 1; owed--) act()
    await time.run(stepMs)
  }
}

/** Calls begin and end, and phones refresh, at constant rates. */
const keepUp = (cluster: SimCluster, { callsPerSecond, phones }: LoadOptions): { stop: () => void } => {
  const { time, roll } = cluster
  let stopped = false
  let [calls, refreshes] = [0, 0]
  const step = (): void => {
    if (stopped) return
    for (calls += (callsPerSecond * stepMs) / 1_000; calls >= 1; calls--) {
      cluster.call()
      cluster.hangUp()
    }
    for (refreshes += (phones * stepMs) / (1_000 * refreshSeconds); refreshes >= 1; refreshes--) cluster.register(roll(phones))
    time.after(stepMs, step)
  }
  step()
  return { stop: () => (stopped = true) }
}

const measure = async ({ net, store, time, running }: SimCluster, ms: number): Promise<Traffic> => {
  net.resetCounts()
  store.resetCounts()
  await time.run(ms)
  const seconds = ms / 1_000
  const all = [...net.heard.values()].reduce((sum, count) => sum + count, 0)
  return {
    heardPerProcess: Object.fromEntries(Array.from(net.heard, ([kind, count]) => [kind, tenth(count / seconds / running.length)])),
    sentPerSecond: Math.round(net.sent / seconds),
    deliveredPerSecond: Math.round(all / seconds),
    statementsPerSecond: Math.round(store.statementCount / seconds),
    transactionsPerSecond: Math.round(store.transactions / seconds),
    statements: Object.fromEntries(Array.from(store.statements, ([name, count]) => [name, tenth(count / seconds)])),
  }
}

const lose = async (cluster: SimCluster, lost: readonly SimProcess[], aftermathMs: number): Promise<Loss> => {
  const { time, senders, store, goneAt } = cluster
  const calls = cluster.callsOf(lost)
  const at = time.now
  goneAt.clear()
  store.resetCounts()
  cluster.kill(...lost)
  let maxStatementsPerSecond = 0
  for (let passed = 0, before = 0; passed < aftermathMs; passed += 1_000) {
    await time.run(1_000)
    maxStatementsPerSecond = Math.max(maxStatementsPerSecond, store.statementCount - before)
    before = store.statementCount
  }
  const noticed = lost.flatMap(({ owner }) => goneAt.get(owner) ?? []).map((ms) => ms - at)
  const taken = calls.flatMap((callId) => senders.takenAt.get(callId) ?? []).map((ms) => ms - at)
  const sortedNotices = noticed.toSorted((a, b) => a - b)
  const sortedTimes = taken.toSorted((a, b) => a - b)
  return {
    processes: lost.length,
    calls: calls.length,
    lost: calls.filter((callId) => store.calls.has(callId) && !senders.isAlive(callId)).length,
    noticedMs:
      noticed.length > 0
        ? { first: quantile(sortedNotices, 0), p50: quantile(sortedNotices, 0.5), last: quantile(sortedNotices, 1) }
        : undefined,
    noticed: noticed.length / (lost.length * cluster.running.length),
    takeoverMs:
      taken.length > 0 ? { p50: quantile(sortedTimes, 0.5), p99: quantile(sortedTimes, 0.99), max: quantile(sortedTimes, 1) } : undefined,
    maxStatementsPerSecond,
    claims: store.statements.get('runningCalls.claim') ?? 0,
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const tenth = (figure: number): number => Math.round(figure * 10) / 10
