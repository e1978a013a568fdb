import { chown, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePorts } from '../machine/free-ports.ts'
import { listening, startPeer, until, type PeerProcess } from '../machine/peer-process.ts'
import { endBeforeRemoval, temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { createDatabase, debianPrograms, NOBODY } from '../store/postgres.ts'

const deploy = join(import.meta.dirname, '../../../deploy')

/** Addresses in the files of `deploy`, and those of the test. */
const servers = { '10.0.0.10': '127.0.0.91', '10.0.0.14': '127.0.0.92' } as const
const etcdHost = '127.0.0.90'

interface Server {
  readonly address: string
  readonly folder: string
  /** Patroni and PostgreSQL: they die together, like their machine. */
  machine: PeerProcess
}

interface Ports {
  postgres: number
  patroni: number
  etcd: number
  etcdPeers: number
  proxy: number
}

/** Two PostgreSQL servers under Patroni behind HAProxy, with the shipped files; only addresses, ports, folders and passwords are the test's own. */
export class PatroniDatabase {
  /** URL of the installation's database, through HAProxy. */
  url = ''
  readonly #t: Scope
  readonly #ports: Ports
  readonly #servers: Server[] = []

  private constructor(t: Scope, first: number) {
    this.#t = t
    this.#ports = { postgres: first, patroni: first + 1, etcd: first + 2, etcdPeers: first + 3, proxy: first + 4 }
  }

  static async start(t: Scope): Promise<PatroniDatabase> {
    const database = new PatroniDatabase(t, await freePorts(t, 5))
    await database.#startEtcd()
    const [first, second] = Object.values(servers)
    await database.#startServer(first ?? '')
    await until('the first server is primary', async () => (await database.primary()) === first || undefined, 60_000)
    await database.#startServer(second ?? '')
    await until('the second server follows', async () => (await database.#isSynchronous(second ?? '')) || undefined, 60_000)
    await database.#startHaproxy()
    const server = `postgres://postgres:test@127.0.0.1:${database.#ports.proxy}/postgres`
    database.url = await until('HAProxy reaches the primary', () => createDatabase(server, { name: 'offhook' }).catch(() => undefined))
    return database
  }

  /** Address of the server that Patroni calls primary. */
  async primary(): Promise<string | undefined> {
    for (const { address } of this.#servers) if (await this.#answers(address, 'primary')) return address
    return undefined
  }

  /** Power failure of the primary's machine. Returns its address. */
  async killPrimary(): Promise<string> {
    const address = await this.primary()
    const server = this.#servers.find((each) => each.address === address)
    if (!server) throw new Error('there is no primary')
    await server.machine.stop()
    return server.address
  }

  async query(sql: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** The killed server starts again and follows the new primary. */
  async startAgain(address: string): Promise<void> {
    const server = this.#servers.find((each) => each.address === address)
    if (!server) throw new Error(`there is no server ${address}`)
    server.machine = this.#startMachine(server.folder)
    await until('it follows', async () => (await this.#isSynchronous(address)) || undefined, 60_000)
  }

  async #answers(address: string, what: string): Promise<boolean> {
    const signal = AbortSignal.timeout(2_000)
    return fetch(`http://${address}:${this.#ports.patroni}/${what}`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  #isSynchronous(address: string): Promise<boolean> {
    return this.#answers(address, 'synchronous')
  }

  async #startEtcd(): Promise<void> {
    const folder = await temporaryFolder(this.#t)
    const [client, peers] = [`http://${etcdHost}:${this.#ports.etcd}`, `http://${etcdHost}:${this.#ports.etcdPeers}`]
    const args = ['--data-dir', folder, '--listen-client-urls', client, '--advertise-client-urls', client, '--listen-peer-urls', peers]
    const cluster = ['--initial-advertise-peer-urls', peers, '--initial-cluster', `default=${peers}`, '--log-level', 'error']
    const peer = startPeer(this.#t, 'etcd', [...args, ...cluster], folder)
    endBeforeRemoval(folder, () => peer.stop())
    await listening(peer, 'tcp', this.#ports.etcd)
  }

  async #startServer(address: string): Promise<void> {
    const folder = await temporaryFolder(this.#t)
    const [programs = ''] = await debianPrograms()
    const here = (await this.#localised('patroni/config.yml'))
      .replaceAll(servers['10.0.0.10'], address)
      .replace(/^  hosts: .+$/m, `  hosts: ${etcdHost}:${this.#ports.etcd}`)
      .replace('name: database-a', `name: database-${address}`)
      .replace(/data_dir: .+/, `data_dir: ${folder}/data\n  parameters:\n    unix_socket_directories: ${folder}`)
      .replace(/bin_dir: .+/, `bin_dir: ${programs}`)
    await writeFile(join(folder, 'config.yml'), here)
    const { uid, gid } = NOBODY
    if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
    const server = { address, folder, machine: this.#startMachine(folder) }
    endBeforeRemoval(folder, () => server.machine.stop())
    this.#servers.push(server)
  }

  /** In a process namespace, so that nothing survives its first process. */
  #startMachine(folder: string): PeerProcess {
    const { uid = process.getuid?.(), gid = process.getgid?.() } = NOBODY
    const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
    const machine = ['--pid', '--mount-proc', '--kill-child']
    return startPeer(this.#t, 'unshare', [...machine, 'setpriv', ...user, 'patroni', join(folder, 'config.yml')], folder)
  }

  async #startHaproxy(): Promise<void> {
    const folder = await temporaryFolder(this.#t)
    const file = join(folder, 'database.cfg')
    const text = (await this.#localised('haproxy/database.cfg')).replace(/bind .+/, `bind 127.0.0.1:${this.#ports.proxy}`)
    await writeFile(file, text)
    const peer = startPeer(this.#t, 'haproxy', ['-db', '-f', file], folder)
    await listening(peer, 'tcp', this.#ports.proxy)
  }

  async #localised(file: string): Promise<string> {
    const text = (await readFile(join(deploy, file), 'utf8')).replaceAll('10.0.0.0/24', '127.0.0.0/8').replaceAll('change-me', 'test')
    const { postgres, patroni } = this.#ports
    return Object.entries(servers)
      .reduce((all, [from, to]) => all.replaceAll(from, to), text)
      .replaceAll('5432', String(postgres))
      .replaceAll('8008', String(patroni))
  }
}
