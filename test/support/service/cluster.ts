import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createClient, type Client } from '@offhook/sdk'
import { LocalHub } from '#adapters/bus/local-bus.ts'
import type { Replaced } from '#wiring/main.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'
import { SipPhone, type PhoneCall } from '../phones/sip-phone.ts'
import { freshPostgres } from '../store/databases.ts'
import { FaultyBus } from './faulty-bus.ts'
import { assertNoTimers, startWorld, type Person, type World } from '../world/world.ts'

/** Phone with its own device, registered at one of the processes. */
export type ClusterPhone = SipPhone & { deviceId: string }

/** Call between two phones, as both see it. */
export interface ClusterCall {
  callId: string
  caller: PhoneCall
  callee: PhoneCall
}

export interface ClusterOptions {
  processes?: number
  settings?: Record<string, string>
  replaced?: Replaced
}

/** Several processes of one installation: one PostgreSQL, one clock, one bus. */
export interface Cluster {
  readonly clock: VirtualClock
  readonly hub: LocalHub
  /** Settings of each process, for one more. */
  readonly settings: Readonly<Record<string, string>>
  readonly processes: readonly World[]
  /** Bus of each process. */
  readonly buses: readonly FaultyBus[]
  /** Administrator of an account. */
  readonly admin: Person
  /** Client of the same person at one of the processes. */
  api(at: number, person?: Person): Client
  /** Registered at that process, so that calls from it belong there; any process rings it. */
  phone(at: number, person?: Person): Promise<ClusterPhone>
  /** The callee answers; the call belongs to the process at which the caller is registered. */
  connect(caller: ClusterPhone, callee: ClusterPhone): Promise<ClusterCall>
}

/** Real except for time, like a separate world for each process. */
export const startCluster = async (t: TestContext, { processes = 3, settings, replaced }: ClusterOptions = {}): Promise<Cluster> => {
  const worlds: World[] = []
  const buses: FaultyBus[] = []
  const clock = new VirtualClock(undefined, async () => void (await Promise.all(worlds.map(({ running }) => running.idle()))))
  const hub = new LocalHub()
  const common = { DATABASE_URL: await freshPostgres(), OFFHOOK_SECRET_KEY: randomBytes(32).toString('base64'), ...settings }
  for (let index = 0; index < processes; index++) {
    const bus = new FaultyBus(hub)
    buses.push(bus)
    const parts = { bus, ...replaced }
    worlds.push(await startWorld(t, { sharedClock: clock, settings: common, replaced: parts }))
  }
  t.after(() => assertNoTimers(clock))
  const admin = await (worlds[0] ?? assert.fail('no process')).newAccount()
  return new TestCluster(t, { clock, hub, settings: common, buses, processes: worlds, admin })
}

class TestCluster implements Cluster {
  readonly clock: VirtualClock
  readonly hub: LocalHub
  readonly settings: Readonly<Record<string, string>>
  readonly processes: readonly World[]
  readonly buses: readonly FaultyBus[]
  readonly admin: Person
  readonly #t: TestContext

  constructor(t: TestContext, parts: Pick<Cluster, 'clock' | 'hub' | 'settings' | 'processes' | 'buses' | 'admin'>) {
    this.#t = t
    this.clock = parts.clock
    this.hub = parts.hub
    this.settings = parts.settings
    this.processes = parts.processes
    this.buses = parts.buses
    this.admin = parts.admin
  }

  api(at: number, { token }: Person = this.admin): Client {
    return createClient({ baseUrl: this.#at(at).url, token })
  }

  async phone(at: number, person: Person = this.admin): Promise<ClusterPhone> {
    const { id: deviceId, credentials } = await this.api(at, person).createRegisterDevice({ userId: person.userId }, { alias: 'Phone' })
    const { username: user, password } = credentials
    const phone = await SipPhone.open(this.#t, { server: this.#at(at).running.sip.replace('sip:', ''), user, password })
    assert.equal((await phone.register()).status, 200)
    return Object.assign(phone, { deviceId })
  }

  async connect(caller: ClusterPhone, callee: ClusterPhone): Promise<ClusterCall> {
    const known = new Set(await this.#callIds())
    const calling = caller.call(callee.deviceId)
    const incoming = await callee.incoming()
    await callee.accept(incoming)
    await calling.answered
    const callId = (await this.#callIds()).find((id) => !known.has(id))
    return { callId: callId ?? assert.fail('the call is at no process'), caller: calling, callee: incoming.call }
  }

  async #callIds(): Promise<string[]> {
    return (await this.api(0).listCalls()).data.map(({ callId }) => callId)
  }

  #at(index: number): World {
    return this.processes[index] ?? assert.fail(`there is no process ${index}`)
  }
}
