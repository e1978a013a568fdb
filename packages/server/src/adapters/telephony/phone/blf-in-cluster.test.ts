import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { BlfPhone } from '#test/phones/blf-phone.ts'
import { startCluster } from '#test/service/cluster.ts'

test('BLF and MWI work for calls and messages of any node', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const { admin, clock } = cluster
  const [first, second] = cluster.processes
  assert.ok(first && second)
  const [caller, callee] = [await cluster.phone(0), await cluster.phone(0)]
  const { credentials } = await cluster.api(1).createRegisterDevice({ userId: admin.userId }, { alias: 'Desk' })
  const watcher = await BlfPhone.open(t, { deviceId: '', ...credentials })
  assert.equal((await watcher.subscribe(second, 'dialog', callee.deviceId)).status, 200)
  assert.match(await watcher.next(), /<state>terminated/)
  /** Sent at most once a second. */
  const shows = async (expected: RegExp): Promise<void> => {
    do await clock.advance(1_000)
    while (!expected.test(await watcher.next()))
  }
  const { caller: calling, callee: called } = await cluster.connect(caller, callee)
  await shows(/direction="recipient"[\s\S]*<state>confirmed<\/state>/)
  const late = await BlfPhone.open(t, { deviceId: '', ...credentials })
  await late.subscribe(second, 'dialog', caller.deviceId)
  assert.match(await late.next(), /direction="initiator"[\s\S]*<state>confirmed<\/state>/)
  await calling.session.end()
  await called.ended
  await shows(/<state>terminated/)

  const messages = await BlfPhone.open(t, { deviceId: '', ...credentials })
  await messages.subscribe(second, 'message-summary', credentials.username)
  assert.match(await messages.next(), /Voice-Message: 0\/0/)
  const { read } = first.running.deps.store
  const [line] = await read.phonelines.list(admin.accountId, admin.userId)
  const [voicemail] = await read.voicemails.listByOwner(admin.accountId, line?.id ?? '')
  const names = { source: '', target: '', sourceAlias: '', targetAlias: '' }
  const marks = { read: false, archived: false, starred: false, note: '', labels: [], createdAt: 1, modifiedAt: 1 }
  const what = { type: 'VOICEMAIL', direction: 'INCOMING', status: 'PICKUP' } as const
  const whose = { userId: admin.userId, connectionIds: [voicemail?.id ?? assert.fail()], endpoints: [], detail: {} }
  await clock.advance(1_000)
  await first.write((tables) =>
    tables.history.insert(admin.accountId, { id: randomUUID(), sessionId: randomUUID(), ...what, ...names, ...marks, ...whose }),
  )
  assert.match(await messages.next(), /Voice-Message: 1\/0/)
})
