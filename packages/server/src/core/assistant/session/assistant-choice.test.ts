import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { usualExtendedEvents } from '@offhook/contract/assistant/events.ts'
import type { SessionEndMessage } from '../delivery/events/deliver-session-end.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { SessionFixture } from '#test/session/session-fixture.ts'
import { openTestStore } from '#test/store/databases.ts'
import { rescuing } from '#test/routing/second-process.ts'

const settings: FlowSettings = { endpoint: 'assistant', webhookUrl: 'https://example.com/', apiKey: 'sealed', disabledBecause: 'gone' }

/** A flow with this many versions; the last one is stable. */
const openFlow = async (t: TestContext, versions: number, given = settings) => {
  let fixture: SessionFixture | undefined
  t.after(() => fixture?.close()) // before the store is closed
  fixture = new SessionFixture(await openTestStore(t, 'sqlite'), { noted: true })
  const customer = await fixture.newCustomer(given)
  const { accountId } = customer
  const flowId = `flow-${accountId}`
  const { store } = fixture.exchange
  const publish = (version: number): Promise<void> =>
    store.write(async ({ assistants }) => {
      const result = { webhook_url: `https://example.com/${version}` }
      await assistants.insertVersion(
        accountId,
        flowId,
        { version, createdAt: 1, createdBy: 'w0', note: undefined },
        { greeting: 'Hi', prompt: '', result },
      )
      await assistants.putRollout(accountId, flowId, {
        stable: version,
        candidate: undefined,
        percent: 0,
        by: 'caller',
        previous: undefined,
      })
    })
  for (let version = 1; version <= versions; version++) await publish(version)
  return { fixture, store, accountId, flowId, publish, call: () => fixture.exchange.callIn(customer.number) }
}

test('reaches the stable version instead of the endpoint and sends it all usual events', async (t) => {
  const { fixture, store, accountId, flowId, call } = await openFlow(t, 2)
  const caller = await call()
  await fixture.seconds(1)
  const [flow] = fixture.endpoints.flows
  const { websocketUrl, webhookUrl, apiKey, disabledBecause, extendedEvents } = flow?.settings ?? {}
  assert.deepEqual(
    [websocketUrl, webhookUrl, apiKey, disabledBecause],
    [`assistant:${accountId}/${flowId}/2`, undefined, undefined, undefined],
  )
  assert.deepEqual(extendedEvents, [...usualExtendedEvents])
  const [session] = fixture.channel.sent
  const result = await store.read.results.find(accountId, flowId, session?.sessionId ?? '')
  assert.deepEqual([result?.version, result?.webhookUrl], [2, 'https://example.com/2'])
  assert.deepEqual(
    (await store.read.assistants.versions(accountId, flowId)).map(({ calls }) => calls),
    [1, 0],
  )
  caller.hangsUp()
  await fixture.rest()
})

test('keeps the version after a takeover and in session_end', async (t) => {
  const { fixture: first, store, accountId, flowId, publish, call } = await openFlow(t, 1)
  await call()
  await first.seconds(2)
  await publish(2)
  first.exchange.crash()
  const second = new SessionFixture(first.exchange.store, { noted: true, startAt: first.exchange.clock.now() })
  t.after(() => second.close())
  const other = rescuing(first.exchange, second.exchange)
  await second.seconds(1.5)
  await other.takeOver()
  assert.equal(second.endpoints.flows[0]?.settings.websocketUrl, `assistant:${accountId}/${flowId}/1`)
  const sessionId = first.channel.sent[0]?.sessionId ?? ''
  assert.deepEqual(await store.read.sessions.assistantOf(sessionId), { accountId, flowId, assistant: 1 })
  second.exchange.telephony.resumed[0]?.hangsUp()
  await second.rest()
  const [end] = await store.write(({ outbox }) => outbox.lease(['session_end'], second.exchange.clock.now() + 1, 10, 1e12))
  assert.equal((end?.payload as SessionEndMessage | undefined)?.assistant, 1)
  assert.equal((await store.read.sessions.findEnded(accountId, sessionId))?.assistant, 1)
})

test("uses no version if none is published, and keeps a customer's own endpoint", async (t) => {
  const none = await openFlow(t, 0)
  const caller = await none.call()
  await none.fixture.seconds(1)
  assert.equal(none.fixture.endpoints.flows[0]?.settings.websocketUrl, `assistant:${none.accountId}/${none.flowId}/none`)
  caller.hangsUp()
  await none.fixture.rest()
  const own = await openFlow(t, 1, { webhookUrl: 'https://example.com/' })
  const other = await own.call()
  await own.fixture.seconds(1)
  const { websocketUrl, webhookUrl } = own.fixture.endpoints.flows[0]?.settings ?? {}
  assert.deepEqual([websocketUrl, webhookUrl], [undefined, 'https://example.com/'])
  other.hangsUp()
  await own.fixture.rest()
})
