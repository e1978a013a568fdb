import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { createClient } from '@offhook/sdk'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { parts } from '#test/cluster/cluster.ts'
import { GuideMachine } from '#test/cluster/guide-machine.ts'
import { readMachinesGuide, type MachinesGuide } from '#test/cluster/machines-guide.ts'
import { bridgeAt } from '#test/machine/network-machine.ts'
import { isInOwnNetwork, runInOwnNetwork } from '#test/machine/own-network.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { exchangeAt, type Exchange } from '#test/service/exchange.ts'

/** Address of the phones and of the reader. */
const outside = '10.0.0.100'
const edge = '10.0.0.1'
const processes = ['10.0.0.11', '10.0.0.12', '10.0.0.13']

/** The guide's machines and the reader who follows it. */
class Reader {
  readonly #folder: string
  readonly #guide: MachinesGuide
  readonly #machines: ReadonlyMap<string, GuideMachine>

  private constructor(folder: string, guide: MachinesGuide, machines: readonly GuideMachine[]) {
    this.#folder = folder
    this.#guide = guide
    this.#machines = new Map(machines.map((machine) => [machine.address, machine]))
  }

  static async open(t: TestContext): Promise<Reader> {
    const guide = await readMachinesGuide('several-machines.md')
    const folder = await temporaryFolder(t)
    await chmod(folder, 0o755) // services run as their own users
    await mkdir(join(folder, 'certs'))
    const machines: GuideMachine[] = []
    for (const address of guide.files.keys()) machines.push(await GuideMachine.open(t, folder, address))
    return new Reader(folder, guide, machines)
  }

  machine(address: string): GuideMachine {
    return this.#machines.get(address) ?? assert.fail(`the guide has no files for ${address}`)
  }

  async follow(): Promise<void> {
    for (const { addresses, commands } of this.#guide.steps) {
      if (addresses.length === 0) await promisify(execFile)('/bin/sh', ['-euc', commands.join('\n')], { cwd: this.#folder })
      for (const address of addresses) await this.#type(this.machine(address), commands)
    }
  }

  async #type(machine: GuideMachine, commands: readonly string[]): Promise<void> {
    const { address, folder } = machine
    const wanted = this.#guide.files.get(address) ?? []
    const there = await readdir(join(this.#folder, 'certs'))
    for (const name of wanted.filter((one) => there.includes(one)))
      await copyFile(join(this.#folder, 'certs', name), join(folder, 'certs', name))
    const firstLine = commands.some((command) => command.includes('$name')) ? [this.#guide.firstLines.get(address) ?? ''] : []
    for (const command of inOneShell([...firstLine, ...commands])) await machine.perform(command)
    for (const name of await readdir(join(folder, 'certs')))
      if (!there.includes(name)) await copyFile(join(folder, 'certs', name), join(this.#folder, 'certs', name))
  }
}

/** Joins commands between those of the service manager and the package manager: they share variables. */
const inOneShell = (commands: readonly string[]): string[] => {
  const isSystem = (command: string): boolean => /^(systemctl|apt-get) /.test(command)
  return commands.reduce<string[]>((joined, command) => {
    const last = joined.at(-1)
    if (last === undefined || isSystem(last) || isSystem(command)) return [...joined, command]
    return [...joined.slice(0, -1), `${last}\n${command}`]
  }, [])
}

const phoneOf = async (t: TestContext, office: Exchange, transport: 'tls' | 'udp', ca: string) => {
  const { deviceId, user, password } = await office.newDevice()
  const { number } = await office.newLine(deviceId)
  // The test's phone has no DNS: over UDP it needs an address.
  const way = transport === 'udp' ? { server: `${edge}:5060` } : { server: `${edge}:5061`, domain: 'sip.example.org' }
  const phone = await SipPhone.open(t, { ...way, address: outside, transport, ca, user, password })
  assert.equal((await phone.register()).status, 200)
  return { phone, number }
}

/** Commands for the call at each process; only one of them has it. */
const commandEverywhere = async ({ token, userId }: Exchange): Promise<void> => {
  for (const address of processes) {
    const baseUrl = `http://${address}:8080`
    const reply = await fetch(`${baseUrl}/v2/calls`, { headers: { authorization: `Bearer ${token}` } })
    const { data } = (await reply.json()) as { data: { callId: string }[] }
    assert.deepEqual([data.length, reply.headers.get('offhook-incomplete')], [1, null], `${address}, asked for ${userId}`)
    const api = createClient({ baseUrl, token })
    const callId = data[0]?.callId ?? ''
    for (const value of [true, false]) await api.muteCall({ callId }, { value })
    await api.sendDtmf({ callId }, { sequence: '5' })
  }
}

const follow = async (t: TestContext): Promise<void> => {
  const reader = await Reader.open(t)
  await reader.follow()
  const [first = ''] = processes
  const { program, folder } = reader.machine(first)
  assert.ok(program)
  const notes = JSON.parse(await readFile(join(folder, 'var/lib/offhook/first-run.json'), 'utf8')) as FirstRunNotes
  const office = exchangeAt(program, { http: `http://${edge}:8080`, sip: `${edge}:5060`, data: '', notes })
  const nodes = async () => (await office.operator.listNodes()).items.map(({ name, bus }) => `${name} ${bus}`).toSorted()
  const connected = ['a connected', 'b connected', 'c connected']
  await until('the bus connects all', async () => (await nodes()).join() === connected.join())
  await until('all three get calls', async () => {
    const listed = await reader.machine(edge).sh('kamcmd dispatcher.list')
    return [...listed.matchAll(/FLAGS: AP/g)].length === 3
  })
  const ca = await readFile(join(reader.machine(edge).folder, 'certs/cert.pem'), 'utf8')
  const [caller, callee] = [await phoneOf(t, office, 'udp', ca), await phoneOf(t, office, 'tls', ca)]
  caller.phone.rtp.say(500)
  callee.phone.rtp.say(900)
  const call = caller.phone.call(callee.number)
  await callee.phone.accept(await callee.phone.incoming())
  await call.answered
  await Promise.all([caller.phone.rtp.hears(900), callee.phone.rtp.hears(500)])
  await commandEverywhere(office)
  await call.session.end()
}

test('follows the guide for several machines as written', async (t) => {
  if (isInOwnNetwork) return follow(t)
  if (!(await needs(t, ...parts, 'ip', 'curl', 'jq', 'openssl', 'pg_dump'))) return
  if (process.getuid?.() !== 0) return t.skip('skipped, the services of several machines need root')
  await runInOwnNetwork(t, import.meta.filename, bridgeAt(outside))
})
