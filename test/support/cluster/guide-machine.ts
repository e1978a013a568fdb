import { execFile } from 'node:child_process'
import { chmod, chown, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NetworkMachine } from '../machine/network-machine.ts'
import { listening, until, type PeerProcess } from '../machine/peer-process.ts'
import { offhook, ourRoot, ready, type Program } from '../machine/program.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { debianPrograms } from '../store/postgres.ts'

const run = promisify(execFile)

/** Machine of the guide: its network is its own, its system folders are in a temporary one. Services run as the user that their Debian unit names. */
export class GuideMachine {
  readonly address: string
  /** Where the reader of the guide types, with `deploy` and `certs`. */
  readonly folder: string
  /** The process of Offhook on this machine. */
  program: Program | undefined
  readonly #t: Scope
  readonly #network: NetworkMachine
  readonly #running = new Map<string, PeerProcess>()

  private constructor(t: Scope, network: NetworkMachine, folder: string) {
    this.#t = t
    this.#network = network
    this.address = network.address
    this.folder = folder
  }

  static async open(t: Scope, folder: string, address: string): Promise<GuideMachine> {
    const machine = new GuideMachine(t, await NetworkMachine.open(t, address), join(folder, address))
    for (const place of ['etc/default', 'etc/haproxy', 'etc/kamailio', 'var/lib/postgresql', 'run/kamailio', 'certs'])
      await mkdir(join(machine.folder, place), { recursive: true })
    await cp(join(ourRoot, 'deploy'), join(machine.folder, 'deploy'), { recursive: true })
    for (const file of ['kamailio/edge.cfg', 'kamailio/tls.cfg', 'kamailio/fetch-files', 'haproxy', 'nats', 'offhook'])
      await machine.#localise(join(machine.folder, 'deploy', file))
    return machine
  }

  /** Does one line of the guide, or several that belong together. */
  async perform(command: string): Promise<string> {
    const [, restarted] = /^systemctl restart (\S+)$/.exec(command) ?? []
    if (restarted !== undefined) await this.#restart(restarted)
    // `needs` installed the packages; Debian starts this one at once.
    else if (command === 'apt-get install postgresql') await this.#installPostgres()
    else if (!command.startsWith('apt-get ')) return this.sh(command)
    return ''
  }

  /** Runs commands as root of this machine. */
  async sh(commands: string): Promise<string> {
    const env = { ...process.env, PGHOST: join(this.folder, 'run') }
    return this.#network.run(['/bin/sh', '-euc', this.#here(commands)], { cwd: this.folder, env })
  }

  /** Settings of a file as systemd reads it. */
  async settings(file: string): Promise<Record<string, string>> {
    const lines = (await readFile(join(this.folder, file), 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
  }

  #here(text: string): string {
    return text
      .replaceAll(/(?<![\w./])\/(etc\/(?!ssl)|var\/lib|run\/)/g, `${this.folder}/$1`)
      .replaceAll(/\bkamcmd (?!-)/g, `kamcmd -s unix:${this.folder}/run/kamailio/kamailio_ctl `)
  }

  async #restart(service: string): Promise<void> {
    await this.#running.get(service)?.stop('SIGINT')
    if (service === 'postgresql') return this.#startPostgres()
    if (service === 'nats-server') return this.#start(service, 'nats', ['nats-server', '-c', this.#here('/etc/nats-server.conf')], 4222)
    if (service === 'kamailio') return this.#startKamailio()
    if (service === 'haproxy') return this.#startHaproxy()
    if (service === 'offhook') return this.#startOffhook()
    throw new Error(`the guide restarts ${service}, and this test does not know it`)
  }

  async #startKamailio(): Promise<void> {
    const runs = this.#here('/run/kamailio')
    await this.#own(runs, 'kamailio')
    const args = ['-f', this.#here('/etc/kamailio/kamailio.cfg'), '-DD', '-E', '-Y', runs, '-P', `${runs}/pid`, '-m', '64', '-M', '8']
    await this.#start('kamailio', 'kamailio', ['kamailio', ...args], 5061)
  }

  async #startHaproxy(): Promise<void> {
    const settings = Object.entries(await this.settings('etc/default/haproxy')).map(([name, value]) => `${name}=${value}`)
    await this.#start('haproxy', 'root', ['env', ...settings, 'haproxy', '-db', '-f', this.#here('/etc/haproxy/haproxy.cfg')], 8080)
  }

  async #startOffhook(): Promise<void> {
    const settings = await this.settings('etc/offhook/offhook.env')
    await mkdir(settings['OFFHOOK_DATA'] ?? '', { recursive: true }) // StateDirectory
    this.program = offhook(this.#t, ['serve'], settings, ourRoot, this.#network.within)
    await ready(this.program)
  }

  async #installPostgres(): Promise<void> {
    const data = this.#here('/var/lib/postgresql')
    for (const folder of [data, this.#here('/run/')]) await this.#own(folder, 'postgres')
    const [programs = ''] = await debianPrograms()
    const args = ['-D', join(data, 'main'), '--auth-local=peer', '--auth-host=scram-sha-256', '--no-sync', '--no-instructions']
    await run('runuser', ['-u', 'postgres', '--', join(programs, 'initdb'), ...args], { cwd: '/' })
    await this.#startPostgres()
  }

  async #startPostgres(): Promise<void> {
    const [programs = ''] = await debianPrograms()
    const args = ['-D', this.#here('/var/lib/postgresql/main'), '-k', this.#here('/run/')]
    await this.#start('postgresql', 'postgres', [join(programs, 'postgres'), ...args], 5432)
    await until(
      'PostgreSQL takes connections',
      async () => (await this.sh('runuser -u postgres -- psql -c "SELECT 1"').catch(() => '')) !== '',
    )
  }

  async #start(service: string, user: string, command: readonly string[], port: number): Promise<void> {
    const as = ['--reuid', user, '--regid', await groupOf(user), '--clear-groups', '--pdeathsig', 'KILL']
    const peer = this.#network.start(this.#t, 'setpriv', [...as, ...command], this.folder)
    this.#running.set(service, peer)
    await listening(peer, 'tcp', port)
  }

  async #own(folder: string, user: string): Promise<void> {
    const [uid, gid] = (await Promise.all([run('id', ['-u', user]), run('id', ['-g', user])])).map(({ stdout }) => Number(stdout))
    await chown(folder, uid ?? 0, gid ?? 0)
  }

  /** Rewrites a file, or the files of a folder. A test may have fewer file descriptors than a server. */
  async #localise(path: string): Promise<void> {
    const names = await readdir(path).catch(() => undefined)
    for (const file of names?.map((name) => join(path, name)) ?? [path]) {
      const text = this.#here(await readFile(file, 'utf8'))
      await writeFile(file, text.replaceAll('maxconn 8000', 'maxconn 400').replaceAll('!EDGE_CHILDREN!8', '!EDGE_CHILDREN!2'))
      if (file.endsWith('fetch-files')) await chmod(file, 0o755)
    }
  }
}

const groupOf = async (user: string): Promise<string> => (await run('id', ['-gn', user])).stdout.trim()
