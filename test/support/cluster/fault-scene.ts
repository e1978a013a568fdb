import { startAssistantEndpoint, type AssistantEndpoint } from '../peers/assistant-endpoint.ts'
import { until } from '../machine/peer-process.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { Cluster, type ClusterPhone } from './cluster.ts'
import { ClusterDatabase } from './database.ts'
import { LinkInThread } from './link-in-thread.ts'
import { beginBridge, beginSession, type LiveCall } from './live-calls.ts'

export interface SceneOptions {
  bridges: number
  sessions: number
}

/** Installation with phones, an assistant's endpoint and a database, all of which can fail. */
export class FaultScene {
  readonly cluster: Cluster
  readonly database: ClusterDatabase
  readonly link: LinkInThread
  readonly endpoint: AssistantEndpoint
  readonly #pairs: readonly (readonly [ClusterPhone, ClusterPhone])[]
  readonly #callers: readonly ClusterPhone[]
  /** Phones for calls during a fault. */
  readonly #spare: readonly [ClusterPhone, ClusterPhone]
  readonly #assistant: string
  /** Calls answered since the last start, and the assistant calls among them. */
  placed = { calls: 0, sessions: 0 }

  private constructor(parts: Pick<FaultScene, 'cluster' | 'database' | 'link' | 'endpoint'>, phones: Phones) {
    this.cluster = parts.cluster
    this.database = parts.database
    this.link = parts.link
    this.endpoint = parts.endpoint
    this.#pairs = phones.pairs
    this.#callers = phones.callers
    this.#spare = phones.spare
    this.#assistant = phones.assistant
  }

  static async open(t: Scope, options: SceneOptions): Promise<FaultScene> {
    const database = await ClusterDatabase.start(t)
    const link = await LinkInThread.open(t, database.port)
    const endpoint = await startAssistantEndpoint(t)
    const databaseUrl = database.url.replace(`:${database.port}/`, `:${link.port}/`)
    const cluster = await Cluster.start(t, {
      databaseUrl,
      smallDisk: { name: 'B', megabytes: 24 },
      settings: {
        OFFHOOK_SPEECH: 'tones',
        OFFHOOK_EGRESS_ALLOW: endpoint.address,
        OFFHOOK_METRICS_TOKEN: 'metrics',
        OFFHOOK_DRAIN_SECONDS: '20',
      },
    })
    return new FaultScene({ cluster, database, link, endpoint }, await installPhones(cluster, endpoint, options))
  }

  /** Starts calls one after the other, as many as there are phones; all end before the next start. */
  async beginCalls(): Promise<LiveCall[]> {
    this.placed = { calls: 0, sessions: 0 }
    const calls: LiveCall[] = []
    for (const [index, [caller, callee]] of this.#pairs.entries()) calls.push(await this.#bridge(caller, callee, index))
    for (const caller of this.#callers) calls.push(await this.#session(caller))
    return calls
  }

  /** Places one more call; returns milliseconds until two-way audio. */
  async callInBetween(): Promise<number> {
    const [caller, callee] = this.#spare
    const at = performance.now()
    const call = await this.#bridge(caller, callee, -1)
    const took = Math.round(performance.now() - at)
    await call.hangUp(false)
    return took
  }

  /** Waits until everything works as before. */
  async healed(): Promise<void> {
    const { cluster, link, database } = this
    await link.become({ kind: 'through' })
    if (!database.running) await database.start()
    for (const process of cluster.processes) {
      if (!process.running) await process.start()
      await until(`${process.name} is ready`, async () => (await process.isReady()) || undefined, 60_000)
    }
    await cluster.settled()
  }

  /** Registers again, as phones do after a lost connection. */
  async registerAgain(): Promise<void> {
    for (const { phone } of this.#pairs.flat())
      await until('it is registered again', async () => (await phone.register()).status === 200 || undefined, 60_000)
  }

  /** Calls of a process in the database. */
  async callsOf(process: { sip: string }): Promise<number> {
    const sql = 'select count(*) as n from running_call where owner in (select id from node where sip = $1)'
    return Number((await this.database.query(sql, [`sip:${process.sip}`]))[0]?.['n'])
  }

  /** Waits until the database has every call: for some 100 ms after the answer only its process has it. */
  async saved(): Promise<void> {
    const count = async (): Promise<number> => Number((await this.database.query('select count(*) as n from running_call'))[0]?.['n'])
    await until('the database has every call', async () => (await count()) === this.placed.calls || undefined)
  }

  async #bridge(caller: ClusterPhone, callee: ClusterPhone, index: number): Promise<LiveCall> {
    const call = await beginBridge(caller, callee, [500 + 50 * index, 1_700 + 50 * index])
    this.placed.calls++
    return call
  }

  async #session(caller: ClusterPhone): Promise<LiveCall> {
    const call = await beginSession(caller, this.#assistant)
    this.placed.calls++
    this.placed.sessions++
    return call
  }
}

interface Phones {
  pairs: readonly (readonly [ClusterPhone, ClusterPhone])[]
  callers: readonly ClusterPhone[]
  spare: readonly [ClusterPhone, ClusterPhone]
  assistant: string
}

const installPhones = async (cluster: Cluster, { url }: AssistantEndpoint, { bridges, sessions }: SceneOptions): Promise<Phones> => {
  const flow = await cluster.office.admin.createFlow({}, { name: 'Assistant', webhookUrl: url })
  const assistant = await cluster.office.newNumber(flow.id)
  const pairs: [ClusterPhone, ClusterPhone][] = []
  for (let pair = 0; pair < bridges; pair++) pairs.push([await cluster.phone(), await cluster.phone(pair % 4 === 3 ? 'tcp' : 'udp')])
  const callers: ClusterPhone[] = []
  for (let caller = 0; caller < sessions; caller++) callers.push(await cluster.phone())
  return { pairs, callers, spare: [await cluster.phone(), await cluster.phone()], assistant }
}
