import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, type Operation } from '@offhook/contract'
import { takesIdempotencyKey } from '@offhook/contract/operation.ts'
import { startWorld } from '#test/world/world.ts'

test('creates once for a repeated Idempotency-Key, without a body and for an operator, too', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const options = { idempotencyKey: 'k1' }
  const contact = () => ada.api.createContact({}, { name: 'Carla' }, options)
  assert.deepEqual(await contact(), await contact())
  assert.equal((await ada.api.listContacts()).items.length, 1)
  await assert.rejects(ada.api.createContact({}, { name: 'Other' }, options), { status: 422 })
  await assert.rejects(ada.api.createFlow({}, { name: 'Flow' }, options), { status: 422 })
  await bob.api.createContact({}, { name: 'Other' }, options)

  const flow = () => ada.api.createFlow({}, { name: 'Shop' }, { idempotencyKey: 'k2' })
  const { id: aiFlowId, secret } = await flow()
  assert.equal((await flow()).secret, secret)
  const renewed = () => ada.api.createFlowSecret({ aiFlowId }, undefined, { idempotencyKey: 'k3' })
  assert.deepEqual(await renewed(), await renewed())
  const kept = await world.running.deps.store.read.idempotency.find(ada.accountId, `${ada.userId}:k3`)
  assert.ok(kept?.reply && !kept.reply.includes('whsec'), 'the secret is sealed')

  const operator = await world.operator()
  const account = () => operator.createTariff({}, { id: 'team', name: 'Team', currency: 'EUR' }, options)
  assert.deepEqual(await account(), await account())
})

test('declares the key for every POST with a token', () => {
  const posts = Object.values<Operation>(operations).filter(
    ({ method, auth }) => method === 'POST' && (auth === 'user' || auth === 'operator'),
  )
  const without = posts.filter((one) => !takesIdempotencyKey(one)).map(({ id }) => id)
  assert.deepEqual(without, ['makeSpeechSample'])
})
