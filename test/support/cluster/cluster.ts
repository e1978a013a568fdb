import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { makeCertificate, type TestCertificate } from '../machine/certificate.ts'
import { freePorts } from '../machine/free-ports.ts'
import type { NetworkMachine } from '../machine/network-machine.ts'
import { until } from '../machine/peer-process.ts'
import { offhook, ready } from '../machine/program.ts'
import { endBeforeRemoval, temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { SipPhone, type SipPhoneOptions } from '../phones/sip-phone.ts'
import { exchangeAt, notesIn, type Exchange } from '../service/exchange.ts'
import { startNats, type NatsServer } from '../peers/nats-server.ts'
import { Edge } from './edge.ts'
import { startHaproxy, type Haproxy } from './haproxy.ts'
import { ServiceProcess } from './service-process.ts'

export interface ClusterOptions {
  /** Number of processes; default three. */
  processes?: number
  /** Default: a database of the test run. */
  databaseUrl?: string
  /** Settings of every process. */
  settings?: Record<string, string>
  /** Puts the data of this process on a small disk of its own, where that is possible. */
  smallDisk?: { name: string; megabytes: number }
  /** SIP only, without HAProxy for HTTP: starts faster. */
  withoutHttp?: boolean
  /** The edge answers refreshes itself for so many seconds after a login. */
  leaseSeconds?: number
  /** Default: loopback. */
  places?: Partial<Places>
  /** Gives the edge its address before anything else starts. */
  edgeStarted?: (edge: Edge) => Promise<unknown>
}

/** Addresses of an installation. */
export interface Places {
  edge: string
  /** Machine that the edge runs on; default: the test's own. */
  edgeMachine: NetworkMachine | undefined
  processes: readonly string[]
  phones: string
}

/** Required third-party programs. */
export const parts = ['kamailio', 'websocket.so', 'outbound.so', 'tls.so', 'haproxy', 'nats-server'] as const

const onLoopback: Places = {
  edge: '127.0.0.60',
  edgeMachine: undefined,
  processes: Array.from({ length: 8 }, (_, index) => `127.0.0.${61 + index}`),
  phones: '127.0.0.1',
}

const nameOf = (index: number): string => String.fromCodePoint(65 + index)

export type Transport = NonNullable<SipPhoneOptions['transport']>

/** Phone with its device and number. */
export interface ClusterPhone {
  phone: SipPhone
  deviceId: string
  number: string
}

const dataFolder = async (t: Scope, megabytes: number | undefined): Promise<string> => {
  const folder = await temporaryFolder(t)
  if (megabytes === undefined || process.getuid?.() !== 0) return folder
  const run = promisify(execFile)
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]).then(
    () => true,
    () => false,
  )
  // Lazy unmount: the program with files there ends at the same time.
  if (mounted) endBeforeRemoval(folder, () => run('umount', ['-l', folder]))
  return folder
}

/** Whole installation as in its guide: real processes on one PostgreSQL behind Kamailio and HAProxy. */
export class Cluster {
  readonly processes: readonly ServiceProcess[]
  readonly edge: Edge
  readonly haproxy: Haproxy | undefined
  readonly nats: NatsServer
  /** Uses the process that HAProxy chooses, or the first one without HAProxy. */
  readonly office: Exchange
  readonly certificate: TestCertificate
  readonly #t: Scope
  readonly #places: Places

  private constructor(
    t: Scope,
    places: Places,
    parts: Pick<Cluster, 'processes' | 'edge' | 'haproxy' | 'nats' | 'office' | 'certificate'>,
  ) {
    this.#t = t
    this.#places = places
    this.processes = parts.processes
    this.edge = parts.edge
    this.haproxy = parts.haproxy
    this.nats = parts.nats
    this.office = parts.office
    this.certificate = parts.certificate
  }

  static async start(t: Scope, options: ClusterOptions = {}): Promise<Cluster> {
    const count = options.processes ?? 3
    const certificate = await makeCertificate(t)
    const port = await freePorts(t, 2)
    const places = { ...onLoopback, ...options.places }
    const [sips, https] = [port, port + 1].map((each) => places.processes.slice(0, count).map((host) => `${host}:${each}`))
    const edge = await Edge.start(t, {
      host: places.edge,
      machine: places.edgeMachine,
      processes: sips ?? [],
      certificate,
      leaseSeconds: options.leaseSeconds,
    })
    await options.edgeStarted?.(edge)
    const wsPort = new URL(edge.ws).host
    const haproxy = options.withoutHttp
      ? undefined
      : await startHaproxy(t, { host: edge.host, processes: https ?? [], edgeWs: wsPort, certificate })
    const nats = await startNats(t)
    const shared = {
      DATABASE_URL: options.databaseUrl ?? (await testDatabase()),
      OFFHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      OFFHOOK_LOG: 'error',
      OFFHOOK_BUS: nats.url,
      OFFHOOK_SIP_DOMAIN: edge.sip,
      OFFHOOK_SIP_EDGE: edge.host,
      OFFHOOK_SIP_WS_URL: edge.ws,
      ...(haproxy && { OFFHOOK_PUBLIC_URL: haproxy.http, OFFHOOK_TRUST_PROXY: 'on' }),
      ...options.settings,
    }
    const settingsOf = async (index: number): Promise<Record<string, string>> => ({
      ...shared,
      OFFHOOK_DATA: await dataFolder(t, nameOf(index) === options.smallDisk?.name ? options.smallDisk.megabytes : undefined),
      OFFHOOK_SIP: sips?.[index] ?? '',
      OFFHOOK_HTTP: https?.[index] ?? '',
      OFFHOOK_NODE_NAME: nameOf(index),
    })
    const first = await settingsOf(0)
    const program = offhook(t, ['serve'], first)
    await ready(program)
    const notes = await notesIn(first['OFFHOOK_DATA'] ?? '')
    const processes = [new ServiceProcess(t, nameOf(0), first, notes).adopt(program)]
    for (let index = 1; index < count; index++) processes.push(new ServiceProcess(t, nameOf(index), await settingsOf(index), notes))
    await Promise.all(processes.slice(1).map((process) => process.start()))
    const http = haproxy?.http ?? processes[0]?.http ?? ''
    const office = exchangeAt(program, { http, sip: edge.sip, data: first['OFFHOOK_DATA'] ?? '', notes })
    const cluster = new Cluster(t, places, { processes, edge, haproxy, nats, office, certificate })
    await cluster.settled()
    return cluster
  }

  process(name: string): ServiceProcess {
    const found = this.processes.find((process) => process.name === name)
    if (!found) throw new Error(`there is no process ${name}`)
    return found
  }

  /** Waits until the edge distributes calls to exactly the running processes. */
  async settled(): Promise<void> {
    const wanted = this.processes.filter(({ running }) => running).map(({ sip }) => sip)
    await until(
      'the edge knows who is there',
      async () => (await this.edge.active()).toSorted().join() === wanted.toSorted().join() || undefined,
    )
  }

  /** Registered phone behind the edge with its own line and number. */
  async phone(transport: Transport = 'udp'): Promise<ClusterPhone> {
    const { deviceId, user, password } = await this.office.newDevice()
    const { number } = await this.office.newLine(deviceId)
    const phone = await SipPhone.open(this.#t, { ...this.#way(transport), address: this.#places.phones, user, password })
    const { status } = await phone.register()
    if (status !== 200) throw new Error(`a phone could not register: ${status}`)
    return { phone, deviceId, number }
  }

  /** Options of a phone to reach the edge. */
  #way(transport: Transport): SipPhoneOptions {
    const { edge, certificate } = this
    const servers = { udp: edge.sip, tcp: edge.sip, tls: edge.tls, ws: edge.ws }
    return { transport, server: servers[transport], domain: edge.sip, ca: certificate.cert }
  }
}

/** Loaded only here: it registers a hook of the test runner, which makes a bench print a report of no tests. */
const testDatabase = async (): Promise<string> => (await import('../store/databases.ts')).freshPostgres()
