import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { ApiError, Client } from '@offhook/sdk'
import { dice } from '#test/chance/dice.ts'
import { ClusterDatabase } from '#test/cluster/database.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { startProcesses, talkAt, type Processes } from '#test/service/processes.ts'

const commands = 600
const seed = 16

interface Pair {
  /** Call controlled at its owning process. */
  twin: string
  /** Call controlled at any process. */
  callId: string
  owner: number
}

/** Outcome as a client sees it. */
const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    ({ status, body }: ApiError) => ({ status, body }),
  )

type Command = (api: Client, callId: string) => Promise<unknown>

const anyCommand: readonly Command[] = [
  (api, callId) => api.holdCall({ callId }, { value: true }),
  (api, callId) => api.holdCall({ callId }, { value: false }),
  (api, callId) => api.muteCall({ callId }, { value: true }),
  (api, callId) => api.muteCall({ callId }, { value: false }),
  (api, callId) => api.recordCall({ callId }, { value: true }),
  (api, callId) => api.recordCall({ callId }, { value: false }),
  (api, callId) => api.sendDtmf({ callId }, { sequence: '5' }),
  (api, callId) => api.announceInCall({ callId }, { url: 'http://127.0.0.1:1/a.wav' }),
  (api, callId) => api.announceInCall({ callId }, { url: 'http://ada:secret@127.0.0.1/a.wav' }),
  (api, callId) => api.transferCall({ callId }, { attended: false, phoneNumber: '112' }),
  (api, callId) => api.transferCall({ callId }, { attended: false, phoneNumber: 'nobody' }),
  (api, callId) => api.transferCall({ callId }, { attended: true, phoneNumber: '+493090182099', callerId: '+493023125000' }),
]

const pairsOf = async (t: TestContext, processes: Processes): Promise<Pair[]> => {
  const pairs: Pair[] = []
  for (const owner of processes.all.keys()) {
    const [one, other] = [await talkAt(t, processes, owner), await talkAt(t, processes, owner)]
    pairs.push({ owner, callId: one.callId, twin: other.callId })
  }
  return pairs
}

const list = async ({ all }: Processes, at: number) => {
  const [first, asked] = [all[0] ?? assert.fail(), all[at] ?? assert.fail()]
  const reply = await fetch(`${asked.http}/v2/calls`, { headers: { authorization: `Bearer ${first.token}` } })
  const { data } = (await reply.json()) as { data: { callId: string }[] }
  return { status: reply.status, calls: data.length, incomplete: reply.headers.get('offhook-incomplete') }
}

test('gives 600 commands at any of three processes the outcome of the owning process', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const processes = await startProcesses(t, 3, { OFFHOOK_RATE_LIMIT: '0' })
  const pairs = await pairsOf(t, processes)
  const roll = dice(seed)
  const statuses = new Map<string, number>()
  for (let count = 0; count < commands; count++) {
    const { callId, twin, owner } = pairs[roll(pairs.length)] ?? assert.fail()
    const command = anyCommand[roll(anyCommand.length)] ?? assert.fail()
    const asked = roll(processes.all.length)
    const [there, atOwner] = await Promise.all([
      outcome(command(processes.admin(asked), callId)),
      outcome(command(processes.admin(owner), twin)),
    ])
    assert.deepEqual(there, atOwner, `command ${count}, asked at ${asked}, owned by ${owner}`)
    const status = typeof there === 'string' ? there : String((there as { status: number }).status)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(statuses)))
  assert.equal(statuses.get('404'), undefined)
  assert.ok((statuses.get('done') ?? 0) > commands / 3)
  assert.deepEqual(
    await Promise.all([0, 1, 2].map((at) => list(processes, at))),
    Array.from({ length: 3 }, () => ({ status: 200, calls: 6, incomplete: null })),
  )
  const stopped = processes.all[2] ?? assert.fail()
  stopped.program.child.kill('SIGSTOP')
  const left = await Promise.all([0, 1].map((at) => list(processes, at)))
  stopped.program.child.kill('SIGCONT')
  assert.deepEqual(
    left,
    Array.from({ length: 2 }, () => ({ status: 200, calls: 4, incomplete: '1' })),
  )
  for (const { callId, owner } of pairs.slice(0, 2)) {
    await processes.admin((owner + 1) % 2).hangUpCall({ callId })
    for (const at of [0, 1]) await assert.rejects(processes.admin(at).hangUpCall({ callId }), { status: 404 })
  }
})

test('answers 504 for a frozen process, then routes commands to the node that took the call over', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const processes = await startProcesses(t, 3, { OFFHOOK_RATE_LIMIT: '0' })
  const { callId } = await talkAt(t, processes, 0)
  const stopped = processes.all[0] ?? assert.fail()
  stopped.program.child.kill('SIGSTOP')
  t.after(() => stopped.program.child.kill('SIGCONT'))
  const asked = await outcome(processes.admin(1).holdCall({ callId }, { value: true }))
  assert.equal((asked as { status: number }).status, 504)
  await until('it goes on elsewhere', async () => (await processes.admin(1).listCalls()).data.length === 1 || undefined)
  for (let count = 0; count < 10; count++)
    for (const at of [1, 2]) assert.equal(await outcome(processes.admin(at).holdCall({ callId }, { value: count % 2 === 0 })), 'done')
})

test('hangs up a call of a killed process once another has taken it over', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const database = await ClusterDatabase.start(t)
  const processes = await startProcesses(t, 3, { DATABASE_URL: database.url })
  const { callId, atCaller, atCallee } = await talkAt(t, processes, 0)
  await until('it is written down', async () => (await database.query('select from running_call')).length === 1)
  processes.all[0]?.program.child.kill('SIGKILL')
  await processes.admin(1).hangUpCall({ callId })
  for (const { ended } of [atCaller, atCallee]) assert.equal((await ended).by, 'peer')
  for (const at of [1, 2]) assert.deepEqual((await processes.admin(at).listCalls()).data, [])
})
