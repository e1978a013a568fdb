// test: own process
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { test, type TestContext } from 'node:test'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { offhook, output } from '#test/machine/program.ts'
import { startWorld } from '#test/world/world.ts'
import { screenOf, type View } from './screen.ts'

const bin = join(import.meta.dirname, '../../../../../bin/offhook.mjs')
const figures = {
  callsStarted: 40,
  callsAnswered: 38,
  callsFailed: 1,
  callsRunning: 12,
  turns: 30,
  endpointRequests: 0,
  endpointFailures: 0,
}
const http = { httpRequests: 0, httpFailures: 0 }
const at = '2026-11-19T12:00:00.000Z'

const node: View['nodes'][number] = {
  id: 'n1',
  name: 'a\u001b[2Jb',
  version: '1.0.0',
  http: '',
  sip: '',
  self: true,
  state: 'RUNNING',
  bus: 'away',
  startedAt: at,
  seenAt: at,
  calls: 12,
  sessions: 5,
  faxes: 0,
  load: { processors: 0.421, busy: 0.118, memoryBytes: 310 * 1024 * 1024 },
}

const viewOf = (change: Partial<View> = {}): View => ({
  nodes: [node, { ...node, id: 'n2', name: 'c', state: 'GONE', bus: 'connected', calls: 0, sessions: 0 }],
  trunks: [],
  metrics: {
    stepSeconds: 10,
    whole: { ...figures, ...http, setUpMs: { p50: 12.4, p95: 40 }, turnMs: { p50: 900, p95: 1_440 } },
    points: [0, 6, 12].map((callsRunning) => ({ at, ...figures, ...http, callsRunning, turns: 8 })),
  },
  ...change,
})

const plain = (view: View, width = 100): string[] => screenOf(view, width).map((line) => stripVTControlCharacters(line))

test('shows calls, turns, durations and processes, and no control characters of names', () => {
  assert.deepEqual(plain(viewOf()), [
    'now            calls 12   assistants 5   faxes 0   turns/s 0.8',
    'last 1 min     started 40   answered 38   failed 1',
    'set-up         median 12 ms   slowest 5 % from 40 ms',
    'response       median 900 ms   slowest 5 % from 1.4 s',
    '',
    'calls running   ▄█ at most 12',
    '',
    'process  state              calls  assistants  processors  main  memory  version',
    'a [2Jb   running, bus away  12     5           0.42        12 %  310 MB  1.0.0',
    'c        gone               0      0           0.42        12 %  310 MB  1.0.0',
  ])
})

test('shows why a trunk cannot be used', () => {
  const trunk = { name: 'Carrier', active: true, maxCalls: 30, state: { usable: false, calls: 3, problem: '403 Forbidden' } }
  const lines = plain(viewOf({ trunks: [trunk as View['trunks'][number]] }))
  assert.deepEqual(lines.slice(-2), ['trunk    state     calls    problem', 'Carrier  unusable  3 of 30  403 Forbidden'])
})

test('keeps every line within the width of the terminal', () => {
  for (const width of [20, 40, 80]) assert.ok(plain(viewOf(), width).every((line) => line.length <= width))
})

const openWorld = async (t: TestContext) => {
  const world = await startWorld(t)
  await world.operator()
  const token = await world.write(async (tables) => {
    const [{ id: operatorId } = assert.fail()] = await tables.operators.list()
    return issueToken(tables, world.clock, { kind: 'operator', holder: { operatorId }, subject: operatorId, scopes: ['all'] })
  })
  return { world, token }
}

test('prints one view when its output is not a terminal, and refuses a customer', async (t) => {
  const { world, token } = await openWorld(t)
  const as = (held: string) => output(offhook(t, ['top', '--url', world.url, '--token', held]))
  const [exit, said, why] = await as(token)
  assert.equal(exit, 0, why)
  assert.match(said, /^now +calls 0 +assistants 0/)
  assert.ok(!said.includes('\u001b'))
  const ada = await world.newAccount()
  const [refused, , reason] = await as(ada.token)
  assert.equal(refused, 1)
  assert.match(reason, /^offhook: /)
})

test('repeats on a terminal and leaves it as it was', { skip: process.platform !== 'linux' }, async (t) => {
  const { world, token } = await openWorld(t)
  const command = ['exec', process.execPath, bin, 'top', '--interval', '1', '--url', world.url, '--token', token].join(' ')
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => terminal.kill('SIGKILL'))
  let shown = ''
  let isInterrupted = false
  for await (const piece of terminal.stdout) {
    shown += String(piece)
    if (isInterrupted || shown.split('Ctrl-C ends').length < 4) continue
    isInterrupted = true // the second Ctrl-C would end it without an orderly end
    terminal.stdin.write('\u0003')
  }
  if (terminal.exitCode === null) await once(terminal, 'exit')
  assert.equal(terminal.exitCode, 0)
  const [opened, closed] = [shown.indexOf('\u001b[?1049h'), shown.lastIndexOf('\u001b[?1049l')]
  assert.ok(opened >= 0 && opened < shown.indexOf('calls 0') && closed > shown.lastIndexOf('Ctrl-C ends'), JSON.stringify(shown))
})
