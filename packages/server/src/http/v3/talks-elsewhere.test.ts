import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { startCluster } from '#test/service/cluster.ts'

test("accepts a talk ticket once at any node, and counts a user's talks over all nodes", async (t) => {
  const customer = await startAssistantEndpoint(t)
  const cluster = await startCluster(t, { settings: { OFFHOOK_EGRESS_ALLOW: customer.address } })
  const timeouts = { silence_seconds: 3600 }
  const { id: aiFlowId } = await cluster.api(0).createFlow({}, { name: 'Reception', webhookUrl: customer.url, timeouts })
  const invite = async (at: number) => cluster.api(at).startTalk({ aiFlowId }, { audio: false })
  const at = (process: number, url: string): string => {
    const there = new URL(url)
    there.host = new URL(cluster.processes[process]?.url ?? '').host
    return there.href
  }
  const talk = async (invitedAt: number, openedAt: number): Promise<TalkClient> => {
    const { url } = await invite(invitedAt)
    const client = await TalkClient.open(t, at(openedAt, url))
    await client.onEvent('answered')
    return client
  }
  const { talkId, url } = await invite(0)
  const client = await TalkClient.open(t, at(1, url))
  await client.onEvent('answered')
  await assert.rejects(TalkClient.open(t, at(2, url)), 'it was used at another process')
  await cluster.api(2).holdCall({ callId: talkId }, { value: true })
  assert.deepEqual(await client.onEvent('held'), { type: 'held', value: true })
  for (const [invitedAt, openedAt] of [
    [0, 0],
    [1, 2],
    [2, 1],
    [0, 2],
  ] as const)
    await talk(invitedAt, openedAt)
  await cluster.clock.advance(0)
  for (const process of [0, 1, 2]) await assert.rejects(invite(process), { status: 409 })
  await cluster.api(0).hangUpCall({ callId: talkId })
  await client.closed
  await cluster.clock.advance(0)
  await invite(2)
})
