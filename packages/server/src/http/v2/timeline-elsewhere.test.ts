import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchTimeline } from '#test/http/timeline-stream.ts'
import { startCluster } from '#test/service/cluster.ts'

test("reads and watches a call's timeline at every node: every entry once and in order", async (t) => {
  const cluster = await startCluster(t)
  const { admin, processes } = cluster
  const [owner, ...others] = processes
  const bob = (await owner?.newUser(admin.accountId)) ?? assert.fail()
  const [caller, callee] = [await cluster.phone(0), await cluster.phone(1, bob)]
  const { callId, caller: calling, callee: called } = await cluster.connect(caller, callee)
  const watched = await Promise.all(
    processes.flatMap((world) => [
      watchTimeline(t, world, admin.token),
      watchTimeline(t, world, admin.token, `?callId=${callId}`),
      watchTimeline(t, world, bob.token, `?callId=${callId}`),
    ]),
  )
  const live = watched.filter((_, index) => index % 3 === 0)
  const whole = watched.filter((_, index) => index % 3 !== 0)
  // A command at another node is seen everywhere, before anything is stored.
  await cluster.api(1).muteCall({ callId }, { value: true })
  for (const stream of watched) await stream.until(() => stream.entries.some((entry) => JSON.stringify(entry).includes('"muted"')))
  for (const world of others) {
    const { items, running } = await cluster.api(processes.indexOf(world), bob).getTimeline({ callId })
    assert.ok(running && JSON.stringify(items.at(-1)).includes('"muted"'), 'who asks reads what has happened until now')
  }
  await calling.session.end()
  await called.ended
  for (const stream of watched) await stream.until(() => JSON.stringify(stream.entries.at(-1)).includes('"ended"'))
  const [first] = whole
  for (const stream of whole) {
    assert.deepEqual(stream.entries, first?.entries)
    assert.deepEqual(
      stream.entries.map(({ sequence }) => sequence),
      stream.entries.map((_, index) => index + 1),
    )
  }
  for (const stream of live) assert.deepEqual(stream.entries, first?.entries.slice(-stream.entries.length))
  await cluster.clock.advance(10_000)
  for (const stream of whole) assert.deepEqual(stream.entries.length, first?.entries.length, 'what is written later is not told again')
})
