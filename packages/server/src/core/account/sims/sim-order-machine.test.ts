import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SimOrderState } from '#core/kernel/ports/store/number.ts'
import { nextState, type SimOrderEvent } from './move-order.ts'

const events: SimOrderEvent[] = ['pick', 'ship', 'deliver', 'activate', 'cancel']
const states: SimOrderState[] = ['ORDERED', 'PICKED', 'SHIPPED', 'DELIVERED', 'ACTIVATED', 'CANCELLED']

test('allows exactly these transitions', () => {
  const possible = states.flatMap((state) =>
    events.flatMap((event) => (nextState(state, event) === undefined ? [] : [`${state} ${event} ${nextState(state, event)}`])),
  )
  assert.deepEqual(possible, [
    'ORDERED pick PICKED',
    'ORDERED cancel CANCELLED',
    'PICKED ship SHIPPED',
    'PICKED cancel CANCELLED',
    'SHIPPED deliver DELIVERED',
    'SHIPPED activate ACTIVATED',
    'SHIPPED cancel CANCELLED',
    'DELIVERED activate ACTIVATED',
    'DELIVERED cancel CANCELLED',
  ])
})
