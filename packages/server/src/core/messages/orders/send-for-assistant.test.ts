import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/world/world.ts'
import { connected, customer, holds, mobile, routeMobile } from '#test/world/test-orders.ts'
import { sendForAssistant } from './send-for-assistant.ts'

for (const database of databases)
  test(`${database}: sends an SMS on behalf of the account and charges it`, async (t) => {
    const { world, orders } = await connected(t, database)
    const ada = await customer(world)
    const { accountId } = ada
    const send = (called: string) => sendForAssistant(world.running.deps, { accountId, called, recipient: mobile, text: 'Hello' })
    await assert.rejects(send('4930'), { code: 'sms_sender_missing' })
    const own = await routeMobile(world, ada)
    await send('4930')
    assert.deepEqual([orders.messages[0]?.sender, orders.messages[0]?.message], [own, 'Hello'])
    assert.equal((await holds(world, accountId)).reserved, 790)
    await send(own.slice(1))
    assert.equal(orders.messages[1]?.sender, own, 'the number that was called')
  })
