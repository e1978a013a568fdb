import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { ClusterDatabase } from '#test/cluster/database.ts'
import { parts } from '#test/cluster/cluster.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { listening, startPeer, until } from '#test/machine/peer-process.ts'
import { offhook, ready, type Program } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { exchangeAt, notesIn } from '#test/service/exchange.ts'

const root = join(import.meta.dirname, '../..')

/** Commands of the guide in order: one per line, a loop as a whole. */
const commandsOf = (guide: string): string[] => {
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? '')
  return blocks.flatMap((block) => block.match(/^for [^]*?^done$|^.+$/gm) ?? [])
}

/** Maps the guide's machines to loopback addresses, its ports to free ones, its system folders to a temporary one. */
class Stage {
  readonly folder: string
  readonly #port: number
  readonly #database: ClusterDatabase

  constructor(folder: string, port: number, database: ClusterDatabase) {
    this.folder = folder
    this.#port = port
    this.#database = database
  }

  static async open(t: TestContext): Promise<Stage> {
    const database = await ClusterDatabase.start(t)
    const stage = new Stage(await temporaryFolder(t), await freePorts(t, 6), database)
    await mkdir(join(stage.folder, 'etc/default'), { recursive: true })
    await mkdir(join(stage.folder, 'var/lib'), { recursive: true })
    await mkdir(join(stage.folder, 'run'), { recursive: true })
    await cp(join(root, 'deploy'), join(stage.folder, 'deploy'), { recursive: true })
    for (const file of [
      'kamailio/edge.cfg',
      'kamailio/tls.cfg',
      'kamailio/processes',
      'haproxy/haproxy.cfg',
      'haproxy/haproxy.env',
      'nats/nats-server.conf',
      'offhook/offhook.env',
      'kamailio/fetch-files',
    ])
      await stage.#localise(join(stage.folder, 'deploy', file))
    return stage
  }

  /** Rewrites a text of the guide for this machine. */
  here(text: string): string {
    const ports: Record<string, number> = { 5060: 0, 5061: 1, 5066: 2, 443: 3, 8080: 4, 4222: 5 }
    const moved = text
      .replaceAll(/postgres:\/\/\S+/g, this.#database.url)
      .replaceAll(/(?<![\w.])10\.0\.0\.(\d+)/g, (_, last: string) => `127.0.0.${80 + (Number(last) % 40)}`)
      .replaceAll(/(?<=127\.0\.0\.\d+:|_PORT!)(\d+)/g, (port) => String(port in ports ? this.#port + (ports[port] ?? 0) : port))
      .replaceAll(/(?<![\w/])\/(etc\/(?!ssl)|var\/lib|run\/)/g, `${this.folder}/$1`)
    return moved.replaceAll('maxconn 8000', 'maxconn 400').replaceAll('!EDGE_CHILDREN!8', '!EDGE_CHILDREN!2')
  }

  async run(command: string, environment: Record<string, string> = {}): Promise<string> {
    const env = {
      ...process.env,
      ...environment,
      EDGE_FOLDER: join(this.folder, 'etc/kamailio'),
      EDGE_RUN: join(this.folder, 'run/kamailio'),
    }
    return (await promisify(execFile)('/bin/sh', ['-euc', this.here(command)], { cwd: this.folder, env })).stdout
  }

  async settings(file: string): Promise<Record<string, string>> {
    const lines = (await readFile(join(this.folder, file), 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
  }

  port(usual: number): number {
    return Number(this.here(`127.0.0.1:${usual}`).split(':')[1])
  }

  async #localise(file: string): Promise<void> {
    await writeFile(file, this.here(await readFile(file, 'utf8')), { mode: file.endsWith('fetch-files') ? 0o755 : 0o644 })
  }
}

test('follows the guide for several machines as written', async (t) => {
  if (!(await needs(t, ...parts, 'curl'))) return
  const stage = await Stage.open(t)
  const { folder } = stage
  let [notes, program]: [FirstRunNotes?, Program?] = []

  /** Actions of the service manager. */
  const starts: Record<string, () => Promise<unknown>> = {
    'nats-server': () =>
      listening(startPeer(t, 'nats-server', ['-c', join(folder, 'etc/nats/nats-server.conf')], folder), 'tcp', stage.port(4222)),
    async kamailio() {
      await mkdir(join(folder, 'run/kamailio'), { recursive: true })
      const args = [
        '-f',
        join(folder, 'etc/kamailio/kamailio.cfg'),
        '-DD',
        '-E',
        '-Y',
        folder,
        '-P',
        join(folder, 'pid'),
        '-m',
        '64',
        '-M',
        '8',
      ]
      await listening(startPeer(t, 'kamailio', args, folder), 'tcp', stage.port(5061))
    },
    async haproxy() {
      const settings = Object.entries(await stage.settings('etc/default/haproxy')).map(([name, value]) => `${name}=${value}`)
      const peer = startPeer(t, 'env', [...settings, 'haproxy', '-db', '-f', join(folder, 'etc/haproxy/haproxy.cfg')], folder)
      await listening(peer, 'tcp', stage.port(8080))
    },
  }
  const startProcess = async (name: string): Promise<void> => {
    const settings = await stage.settings(`etc/${name}/offhook.env`)
    program = offhook(t, ['serve'], settings)
    await ready(program)
    notes ??= await notesIn(settings['OFFHOOK_DATA'] ?? '')
  }
  const perform = async (command: string): Promise<void> => {
    const service = /^systemctl restart (\S+)$/.exec(command)?.[1]
    if (service !== undefined) await (starts[service] ?? (() => startProcess(service)))()
    // `needs` installed the programs, and the database exists.
    else if (!/^(apt-get|createdb|kamcmd) /.test(command)) await stage.run(command, { TOKEN: notes?.operator.token ?? '' })
  }

  const guide = await readFile(join(root, 'docs/guides/several-machines.md'), 'utf8')
  for (const command of commandsOf(guide)) await perform(command)

  const edge = `${stage.here('10.0.0.1')}:${stage.port(5060)}`
  const http = `http://${stage.here('10.0.0.1')}:${stage.port(8080)}`
  assert.ok(notes && program)
  const office = exchangeAt(program, { http, sip: edge, data: '', notes })
  assert.equal((await office.operator.listNodes()).items.length, 3)
  await until('all three get calls', async () => {
    const listed = await stage.run(`kamcmd -s unix:${folder}/run/kamailio/kamailio_ctl dispatcher.list`)
    return [...listed.matchAll(/FLAGS: AP/g)].length === 3 || undefined
  })
  const phoneOf = async (transport: 'tls' | 'udp') => {
    const { deviceId, user, password } = await office.newDevice()
    const { number } = await office.newLine(deviceId)
    const ca = await readFile(join(folder, 'certs/cert.pem'), 'utf8')
    const server = transport === 'udp' ? edge : `${stage.here('10.0.0.1')}:${stage.port(5061)}`
    const phone = await SipPhone.open(t, { server, domain: edge, transport, ca, user, password })
    assert.equal((await phone.register()).status, 200)
    return { phone, number }
  }
  const [caller, callee] = [await phoneOf('udp'), await phoneOf('tls')]
  caller.phone.rtp.say(500)
  callee.phone.rtp.say(900)
  const call = caller.phone.call(callee.number)
  await callee.phone.accept(await callee.phone.incoming())
  await call.answered
  await Promise.all([caller.phone.rtp.hears(900), callee.phone.rtp.hears(500)])
  await call.session.end()
})
