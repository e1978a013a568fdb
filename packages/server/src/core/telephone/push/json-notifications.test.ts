import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startCustomer, waiting } from '#test/http/customer-endpoint.ts'
import { openPushFixture, describableCall } from '#test/fixtures/push-fixture.ts'
import { queueHangup } from './notifications.ts'
import { addPushSecret } from './push-key.ts'

test('sends JSON that standardwebhooks verifies, to questions and to notifications', async (t) => {
  const fixture = await openPushFixture(t, 'sqlite')
  const { push, set, store, clock, worker, accountId } = fixture
  const caller = { kind: 'user', accountId, userId: 'w0', admin: true, scopes: ['all'], tokenId: 't' } as const
  const { secret } = await store.write((tables) => addPushSecret(tables, fixture, caller))
  const customer = await startCustomer(t, (_, response) =>
    response.setHeader('content-type', 'application/xml').end('<Response><Hangup/></Response>'),
  )
  await set({ incomingUrl: `http://${customer.address}/in`, format: 'json' })
  const call = describableCall(accountId)
  assert.equal((await push.guide.begin(call, waiting))?.verb?.kind, 'hangup')
  const followed = { call, onAnswer: undefined, onHangup: `http://${customer.address}/hangup`, answered: undefined }
  await store.write((tables) => queueHangup(tables, followed, { cause: 'busy', answeringNumber: undefined }, clock.now()))
  worker.wake()
  await worker.idle()
  t.mock.timers.enable({ apis: ['Date'], now: clock.now() })
  const verified = customer.received.map(({ headers, body }) => {
    assert.equal(headers['content-type'], 'application/json')
    return new Webhook(secret).verify(body, headers as Record<string, string>)
  })
  t.mock.timers.reset()
  assert.deepEqual(verified, [
    {
      event: 'newCall',
      from: '4915799912345',
      to: '4930231250',
      direction: 'in',
      callId: 'call-1',
      origCallId: 'call-0',
      users: ['Ada Lovelace', 'Bob & Söhne'],
      userIds: ['w0', 'w1'],
      fullUserIds: [`${accountId}w0`, `${accountId}w1`],
      xcid: 'call-0',
    },
    { event: 'hangup', cause: 'busy', callId: 'call-1', from: '4915799912345', to: '4930231250', direction: 'in', answeringNumber: '' },
  ])
})
