import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operation } from '@offhook/contract/operation.ts'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { startWorld } from '#test/world/world.ts'
import { installErrors } from '../reply/errors.ts'
import { Gate } from '../gate/gate.ts'
import { IdempotentReplies } from './idempotency.ts'
import { mount } from './mount.ts'
import { Admission, usualHeavyLimits } from '../limits/admission.ts'
import { LoopTurns } from '../limits/admission.ts'
import { RateLimit } from '../limits/rate-limit.ts'
import { EventStreams } from '../reply/send-events.ts'

test('answers 500 when a reply cannot be serialised', async (t) => {
  const { store, clock, vault, authenticator } = (await startWorld(t)).running.deps
  const app = Fastify()
  t.after(() => app.close())
  installErrors(app, () => {})
  const identifyCarrier = () => assert.fail('no carrier here')
  const identifyAddressee = () => assert.fail('no signed address here')
  const unlimited = new RateLimit(clock, 0)
  const turns = new LoopTurns()
  const limits = { rateLimit: unlimited, accountLimit: unlimited, admission: new Admission(turns, usualHeavyLimits) }
  const gate = new Gate({ store, clock, authenticator, ...limits, identifyCarrier, identifyAddressee })
  const count = operation({
    id: 'count',
    method: 'GET',
    path: '/count',
    summary: 'Counts',
    auth: 'public',
    bearer: false,
    status: 200,
    reply: Type.Unknown(),
  })
  const streams = new EventStreams(app, clock)
  mount({ app, gate, idempotent: new IdempotentReplies({ store, clock, vault }), streams, turns }, { count }, { count: async () => 1n })
  const reply = await app.inject('/count')
  assert.deepEqual([reply.statusCode, reply.json<{ code: string }>().code], [500, 'internal_error'])
})
