import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestCertificate } from '../machine/certificate.ts'
import { freePorts } from '../machine/free-ports.ts'
import type { NetworkMachine } from '../machine/network-machine.ts'
import { listening, startPeer, type PeerProcess } from '../machine/peer-process.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

const shipped = join(import.meta.dirname, '../../../deploy/kamailio')

export interface EdgeOptions {
  host: string
  /** host:port of the processes behind it. */
  processes: readonly string[]
  /** Lines of the carriers file. */
  carriers?: string
  certificate?: TestCertificate
  /** Domain of phones; default host:port. */
  domain?: string
  /** Answers refreshes itself for so many seconds after a login. */
  leaseSeconds?: number | undefined
  /** Machine that it runs on; default: the test's own. */
  machine?: NetworkMachine | undefined
  /** First of three ports; default: free ones. */
  port?: number
}

/** Kamailio with the shipped configuration from `deploy`; only the address file is the test's own. */
export class Edge {
  readonly host: string
  /** host:port for UDP and TCP. */
  readonly sip: string
  readonly tls: string
  /** URL of the WebSocket for browsers. */
  readonly ws: string
  readonly #t: Scope
  readonly #folder: string
  readonly #machine: NetworkMachine | undefined
  #peer: PeerProcess | undefined

  private constructor(t: Scope, folder: string, { host, machine }: EdgeOptions, port: number) {
    this.#t = t
    this.#folder = folder
    this.#machine = machine
    this.host = host
    this.sip = `${host}:${port}`
    this.tls = `${host}:${port + 1}`
    this.ws = `ws://${host}:${port + 2}/sip`
  }

  static async start(t: Scope, options: EdgeOptions): Promise<Edge> {
    const folder = await temporaryFolder(t)
    const port = options.port ?? (await freePorts(t, 3))
    const edge = new Edge(t, folder, options, port)
    await cp(shipped, folder, { recursive: true })
    await writeFile(join(folder, 'edge.cfg'), addresses(await readFile(join(shipped, 'edge.cfg'), 'utf8'), folder, port, options))
    if (options.certificate) await edge.#useCertificate(options.certificate)
    await edge.notifyCarriers(options.carriers ?? '')
    await edge.notifyProcesses(options.processes)
    await edge.start()
    return edge
  }

  async start(): Promise<void> {
    const folder = this.#folder
    const args = ['-f', join(folder, 'kamailio.cfg'), '-DD', '-E', '-Y', folder, '-P', join(folder, 'pid'), '-m', '64', '-M', '8']
    const peer = this.#machine?.start(this.#t, 'kamailio', args, folder) ?? startPeer(this.#t, 'kamailio', args, folder)
    this.#peer = peer
    const port = Number(this.sip.split(':')[1])
    await listening(peer, 'udp', port)
    for (const tcp of [port, port + 2]) await listening(peer, 'tcp', tcp)
  }

  /** Folder with its configuration and its control socket. */
  get folder(): string {
    return this.#folder
  }

  /** Also the id of its process group. */
  get pid(): number {
    return this.#peer?.pid ?? -1
  }

  async stop(): Promise<void> {
    await this.#peer?.stop()
  }

  log(): string {
    return this.#peer?.output() ?? ''
  }

  /** Reloads like an operator. */
  async notifyProcesses(processes: readonly string[]): Promise<void> {
    await writeFile(join(this.#folder, 'processes'), processes.map((one) => `1 sip:${one} 8 0\n2 sip:${one} 0 0\n`).join(''))
    if (this.#peer) await this.command('dispatcher.reload')
  }

  async notifyCarriers(lines: string): Promise<void> {
    await writeFile(join(this.#folder, 'carriers'), lines)
    if (this.#peer) await this.command('permissions.addressReload')
  }

  async command(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('kamcmd', ['-s', `unix:${join(this.#folder, 'kamailio_ctl')}`, ...args])
    return stdout
  }

  /** Processes that it considers active. */
  async active(): Promise<string[]> {
    const listed = await this.command('dispatcher.list')
    return [...listed.matchAll(/URI: sip:(\S+)\s+FLAGS: AP/g)].map(([, address]) => address ?? '')
  }

  async #useCertificate({ certFile, keyFile }: TestCertificate): Promise<void> {
    const file = join(this.#folder, 'tls.cfg')
    const shippedText = await readFile(file, 'utf8')
    await writeFile(file, shippedText.replace(/\S+-cert\.pem/, certFile).replace(/\S+-key\.pem/, keyFile))
  }
}

const addresses = (text: string, folder: string, port: number, { host, domain, certificate, leaseSeconds }: EdgeOptions): string => {
  const values: Record<string, string> = {
    EDGE_ADDRESS: host,
    EDGE_SIP_PORT: String(port),
    EDGE_TLS_PORT: String(port + 1),
    EDGE_WS_PORT: String(port + 2),
    EDGE_DOMAIN: domain ?? host,
    EDGE_HAPROXY: host,
    EDGE_SECRET: 'a secret of this test',
    EDGE_FOLDER: folder,
    EDGE_RUN: folder,
    EDGE_CHILDREN: '2',
    EDGE_LEASE: String(leaseSeconds),
  }
  const filled = text.replaceAll(/^#!substdef "!(\w+)![^!]*!g"$/gm, (_, name: string) => `#!substdef "!${name}!${values[name] ?? ''}!g"`)
  const leasing = leaseSeconds === undefined ? filled : filled.replace('##!define WITH_LEASE', '#!define WITH_LEASE')
  return certificate ? leasing : leasing.replace(/^#!define WITH_TLS$/m, '')
}
