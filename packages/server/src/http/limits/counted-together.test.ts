import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCluster } from '#test/service/cluster.ts'

test('counts the requests of a token over all nodes', async (t) => {
  const cluster = await startCluster(t, { processes: 2, settings: { OFFHOOK_RATE_LIMIT: '2' } })
  const statusAt = async (at: number): Promise<number> =>
    (await fetch(`${cluster.processes[at]?.url}/v1/account`, { headers: { authorization: `Bearer ${cluster.admin.token}` } })).status
  for (let count = 0; count < 20; count++) assert.equal(await statusAt(0), 200)
  assert.equal(await statusAt(0), 429)
  assert.equal(await statusAt(1), 200, 'it has not heard yet')
  await cluster.clock.advance(1_000)
  assert.equal(await statusAt(1), 429)
})

test('counts the talks of a user over all nodes', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const { id: aiFlowId } = await cluster.api(0).createFlow({}, { name: 'Flow', webhookUrl: 'https://example.com/' })
  const talks = cluster.processes.map(({ running }) => running.deps.talks)
  const { accountId, userId } = cluster.admin
  const enter = async (at: number) => {
    const { talkId, url } = await (talks[at] ?? assert.fail()).invite({ accountId, userId }, aiFlowId, {
      sound: false,
      fast: false,
      draft: false,
    })
    const { pathname, search } = new URL(url)
    return (talks[at] ?? assert.fail()).redeem(`${pathname}${search}`, { flowId: aiFlowId, talkId, means: 'text' })
  }
  const tickets = [await enter(0), await enter(0), await enter(1), await enter(1), await enter(0)]
  await cluster.clock.advance(0)
  for (const at of [0, 1]) await assert.rejects(enter(at), { code: 'talk_limit_reached' })
  for (const { leave } of tickets) leave()
  await cluster.clock.advance(0)
  ;(await enter(1)).leave()
})
