import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  absent,
  arrives,
  calls,
  consulted,
  forward,
  forwards,
  forwarded,
  mobile,
  newColleague,
  ordered,
  passedOnByAssistant,
  pickedUp,
  refused,
  toVoicemail,
  waits,
  type Act,
} from '#test/routing/call-scenes.ts'
import { addFlow, callOut } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { openExchange, outsideNumber, type Customer } from '#test/routing/scripted-exchange.ts'
import { orderCall } from '#test/routing/scripted-order.ts'
import { talking, transferring, withoutVoicemail } from '#test/routing/transfers.ts'
import { createGroup } from '#core/account/lines/group.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'

interface Case {
  what: string
  act: Act
  /** Entries of Ada's and Cleo's account. */
  ours: string[]
  bobs?: string[]
}

const byText = (a: string, b: string): number => a.localeCompare(b)

/** One line with all fields of the entry. */
const notifications = (entry: HistoryEntry, names: Map<string, string>): string => {
  const { type, direction, status, detail, userId, source, target, connectionIds, endpoints } = entry
  const named = (number: string) => names.get(number) ?? number
  const outcome = [
    type,
    direction,
    status,
    detail.callStatus,
    `${detail.duration}s`,
    detail.recordings && `${detail.recordings.length} rec`,
  ]
  const way = endpoints.map((one) => `${one.type} ${named(one.extension)}`).join(', ')
  return `${outcome.filter(Boolean).join(' ')} | ${userId ?? '-'} ${named(source)} > ${named(target)} | ${connectionIds.map(named).join(' ')} | ${way}`
}

const cases: Case[] = [
  {
    what: 'answered',
    act: arrives(42),
    ours: ['CALL INCOMING PICKUP SUCCESS 42s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0'],
  },
  {
    what: 'missed',
    act: waits(10),
    ours: ['CALL MISSED_INCOMING NOPICKUP MISSED 0s | w0 outside > us | p0 | ROUTED p0'],
  },
  {
    what: 'busy',
    act: refused('busy'),
    ours: ['CALL MISSED_INCOMING BUSY BUSY 0s | w0 outside > us | p0 | ROUTED p0'],
  },
  {
    what: 'busy, with voicemail',
    act: async ({ exchange, ada }) => {
      const caller = await exchange.callIn(ada.number)
      exchange.phone.refuses('busy', 486)
      await exchange.seconds(10)
      caller.hangsUp()
    },
    ours: ['VOICEMAIL INCOMING NOPICKUP 6s 1 rec | w0 outside > us | p0 v0 | ROUTED p0, PICKUP v0'],
  },
  {
    what: 'rejected',
    act: refused('rejected'),
    ours: ['CALL MISSED_INCOMING NOPICKUP REJECTED 0s | w0 outside > us | p0 | ROUTED p0'],
  },
  {
    what: 'not to be disturbed',
    act: waits(0, async ({ exchange, ada }) => {
      await withoutVoicemail(exchange, ada)
      await exchange.store.write((tables) => tables.devices.update(ada.accountId, ada.deviceId, { dnd: true }))
    }),
    ours: ['CALL MISSED_INCOMING NOPICKUP REJECTED_DND 0s | w0 outside > us | p0 | ROUTED p0'],
  },
  {
    what: 'busy on busy',
    act: async (cast) => {
      const { exchange, ada } = cast
      await exchange.store.write((tables) => tables.phonelines.update(ada.accountId, ada.line, { busyOnBusy: true }))
      const { caller } = await talking(exchange, ada)
      await exchange.callIn(ada.number)
      caller.hangsUp()
    },
    ours: [
      'CALL INCOMING PICKUP SUCCESS 10s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0',
      'CALL MISSED_INCOMING BUSY BUSY_ON_BUSY 0s | w0 outside > us | p0 | ROUTED p0',
    ],
  },
  {
    what: 'group',
    act: async (cast) => {
      const { exchange, ada, cleo } = cast
      await exchange.store.write(async (tables) => {
        const team = { alias: 'Team', strategy: 'LINEAR' as const, ringSeconds: 15, members: [ada.userId, cleo.userId] }
        const endpointId = await createGroup(tables, exchange.clock, ada.accountId, team)
        await tables.numbers.setRouting(ada.accountId, (await tables.numbers.findByE164(ada.accountId, ada.number))?.id ?? '', {
          endpointId,
        })
      })
      const caller = await exchange.callIn(ada.number)
      await exchange.seconds(15)
      await pickedUp(exchange, 9)
      caller.hangsUp()
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 9s | w1 outside > us | g0 e1 | ROUTED g0, PICKUP e1'],
  },
  {
    what: 'forwarded outside',
    act: arrives(20, forwards(mobile)),
    ours: ['CALL INCOMING FORWARD SUCCESS 20s | w0 outside > us | p0 | ROUTED p0, FORWARDED mobile'],
  },
  {
    what: 'forwarded outside, unanswered',
    act: waits(0, forwards(mobile)),
    ours: ['CALL MISSED_INCOMING NOPICKUP MISSED 0s | w0 outside > us | p0 | ROUTED p0, FORWARDED mobile'],
  },
  {
    what: 'forwarded inside',
    act: arrives(20, forwards('p1')),
    ours: ['CALL INCOMING PICKUP SUCCESS 20s | w1 outside > us | p0 p1 e1 | ROUTED p0, FORWARDED p1, PICKUP e1'],
  },
  {
    what: 'forwarded to another account',
    act: arrives(20, ({ exchange, ada, bob }) => forward(exchange, ada, bob.number)),
    ours: ['CALL INCOMING FORWARD SUCCESS 20s | w0 outside > us | p0 | ROUTED p0, FORWARDED Bob'],
    bobs: ['CALL INCOMING PICKUP SUCCESS 20s | w0 outside > Bob | p0 e0 | ROUTED p0, PICKUP e0'],
  },
  {
    what: 'voicemail',
    act: waits(4 + 12, absent('ada')),
    ours: ['VOICEMAIL INCOMING NOPICKUP 12s 1 rec | w0 outside > us | p0 v0 | ROUTED p0, PICKUP v0'],
  },
  {
    what: 'voicemail without message',
    act: waits(3, absent('ada')),
    ours: ['CALL MISSED_INCOMING NOPICKUP VOICEMAIL_NO_MESSAGE 0s | w0 outside > us | p0 v0 | ROUTED p0, PICKUP v0'],
  },
  {
    what: 'voicemail of a colleague',
    act: calls('44', 4 + 12, absent('cleo')),
    ours: [
      'CALL OUTGOING PICKUP SUCCESS 16s | w0 us > p1 | p0 e0 | ROUTED p1, PICKUP v1',
      'VOICEMAIL INCOMING NOPICKUP 12s 1 rec | w1 us > p1 | p1 v1 | ROUTED p1, PICKUP v1',
    ],
  },
  {
    what: 'voicemail of a colleague without message',
    act: calls('44', 3, absent('cleo')),
    ours: ['CALL MISSED_OUTGOING NOPICKUP VOICEMAIL_NO_MESSAGE 0s | w0 us > p1 | p0 e0 p1 v1 | ROUTED p1, PICKUP v1'],
  },
  {
    what: 'colleague, answered',
    act: async ({ exchange, ada }) => {
      const caller = await exchange.callFrom(ada, '44')
      await pickedUp(exchange, 7)
      caller.hangsUp()
    },
    ours: ['CALL OUTGOING PICKUP SUCCESS 7s | w0 us > p1 | p0 e0 p1 e1 | ROUTED p1, PICKUP e1'],
  },
  {
    what: 'colleague, missed',
    act: calls('44', 0),
    ours: ['CALL MISSED_OUTGOING NOPICKUP MISSED 0s | w0 us > p1 | p0 e0 p1 | ROUTED p1'],
  },
  {
    what: 'assistant',
    act: waits(12, ({ exchange, ada }) => addFlow(exchange, ada)),
    ours: ['CALL INCOMING PICKUP SUCCESS 12s | - outside > us | flow | ROUTED flow, PICKUP flow'],
  },
  {
    what: 'assistant, then a colleague',
    act: async (cast) => {
      const caller = await passedOnByAssistant(cast)
      await pickedUp(cast.exchange, 20)
      caller.hangsUp()
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 32s | w1 outside > us | flow p1 e1 | ROUTED flow, PICKUP flow, FORWARDED p1, PICKUP e1'],
  },
  {
    what: 'assistant, then a voicemail',
    act: async (cast) => {
      absent('cleo')(cast)
      const caller = await passedOnByAssistant(cast)
      await cast.exchange.seconds(4 + 9)
      caller.hangsUp()
    },
    ours: [
      'CALL INCOMING PICKUP SUCCESS 12s | - outside > us | flow | ROUTED flow, PICKUP flow, FORWARDED p1, PICKUP v1',
      'VOICEMAIL INCOMING NOPICKUP 9s 1 rec | w1 outside > p1 | p1 v1 | FORWARDED p1, PICKUP v1',
    ],
  },
  {
    what: 'assistant calls out',
    act: async ({ exchange, ada }) => {
      await addFlow(exchange, ada)
      await callOut(exchange, ada, mobile)
      const callee = exchange.phone
      await pickedUp(exchange, 20)
      callee.hangsUp()
    },
    ours: ['CALL OUTGOING PICKUP SUCCESS 20s | w0 us > mobile | flow e0 | '],
  },
  {
    what: 'blind by phone, another account',
    act: forwarded(20, ({ bob }, { phone }) => phone.asksTransfer({ dialled: bob.number })),
    ours: ['CALL INCOMING PICKUP SUCCESS 10s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0, FORWARDED Bob'],
    bobs: ['CALL INCOMING PICKUP SUCCESS 20s | w0 us > Bob | p0 e0 | ROUTED p0, PICKUP e0'],
  },
  {
    what: 'blind by phone, colleague',
    act: forwarded(20, (_cast, { phone }) => phone.asksTransfer({ dialled: '44' })),
    ours: ['CALL INCOMING PICKUP SUCCESS 30s | w1 outside > us | p0 e0 p1 e1 | ROUTED p0, PICKUP e0, FORWARDED p1, PICKUP e1'],
  },
  {
    what: 'blind by REST, outside',
    act: forwarded(20, ({ exchange, ada }, { callId }) => transferring(exchange, ada, callId, { phoneNumber: mobile })),
    ours: ['CALL INCOMING PICKUP SUCCESS 30s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0, FORWARDED mobile'],
  },
  {
    what: 'blind by REST, unanswered, comes back',
    act: async ({ exchange, ada }) => {
      const { caller, callId } = await talking(exchange, ada)
      transferring(exchange, ada, callId, { phoneNumber: mobile })
      await exchange.rest()
      exchange.phone.rings()
      await exchange.seconds(40)
      caller.hangsUp()
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 50s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0'],
  },
  {
    what: 'blind by phone, voicemail of a colleague',
    act: toVoicemail(4 + 9),
    ours: [
      'CALL INCOMING PICKUP SUCCESS 10s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0, FORWARDED p1, PICKUP v1',
      'VOICEMAIL INCOMING NOPICKUP 9s 1 rec | w1 outside > p1 | p1 v1 | FORWARDED p1, PICKUP v1',
    ],
  },
  {
    what: 'blind by phone, voicemail of a colleague without message',
    act: toVoicemail(3),
    ours: ['CALL INCOMING PICKUP SUCCESS 10s | w0 outside > us | p0 e0 p1 v1 | ROUTED p0, PICKUP e0, FORWARDED p1, PICKUP v1'],
  },
  {
    what: 'attended by REST, colleague',
    act: consulted(({ cleo }) => cleo.line),
    ours: ['CALL INCOMING PICKUP SUCCESS 35s | w1 outside > us | p0 e0 p1 e1 | ROUTED p0, PICKUP e0, FORWARDED p1, PICKUP e1'],
  },
  {
    what: 'attended by REST, another account',
    act: consulted(({ bob }) => bob.number),
    ours: ['CALL INCOMING PICKUP SUCCESS 15s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0, FORWARDED Bob'],
    bobs: ['CALL INCOMING PICKUP SUCCESS 25s | w0 us > Bob | p0 e0 | ROUTED p0, PICKUP e0'],
  },
  {
    what: 'attended by phone, another account',
    act: async ({ exchange, ada, bob }) => {
      const { caller, phone } = await talking(exchange, ada)
      phone.holds(true)
      const second = await exchange.callFrom(ada, bob.number)
      await pickedUp(exchange, 5)
      phone.asksTransfer({ leg: second })
      await exchange.seconds(20)
      caller.hangsUp()
    },
    ours: [
      'CALL INCOMING PICKUP SUCCESS 15s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0, FORWARDED Bob',
      'CALL OUTGOING PICKUP SUCCESS 5s | w0 us > Bob | p0 e0 | ',
    ],
    bobs: [
      'CALL INCOMING PICKUP SUCCESS 20s | w0 outside > Bob | e0 | ROUTED e0, PICKUP e0',
      'CALL INCOMING PICKUP SUCCESS 5s | w0 us > Bob | p0 e0 | ROUTED p0, PICKUP e0',
    ],
  },
  {
    what: 'click to call',
    act: ordered(mobile, async ({ exchange }) => {
      await exchange.seconds(3)
      await pickedUp(exchange, 20)
    }),
    ours: ['CALL OUTGOING PICKUP SUCCESS 20s | w0 us > mobile | p0 e0 | '],
  },
  {
    what: 'click to call, caller does not pick up',
    act: async ({ exchange, ada }) => {
      await orderCall(exchange, ada, { callee: mobile })
      await exchange.seconds(60)
    },
    ours: ['CALL MISSED_OUTGOING NOPICKUP MISSED 0s | w0 us > mobile | p0 e0 | '],
  },
  {
    what: 'click to call, callee does not',
    act: ordered(mobile, ({ exchange }) => exchange.seconds(70)),
    ours: ['CALL MISSED_OUTGOING NOPICKUP MISSED 0s | w0 us > mobile | p0 e0 | '],
  },
  {
    what: 'click to call to a colleague’s voicemail',
    act: async (cast) => {
      absent('cleo')(cast)
      await ordered('p1', ({ exchange }) => exchange.seconds(4 + 9))(cast)
    },
    ours: [
      'CALL OUTGOING PICKUP SUCCESS 13s | w0 us > p1 | p0 e0 | ROUTED p1, PICKUP v1',
      'VOICEMAIL INCOMING NOPICKUP 9s 1 rec | w1 us > p1 | p1 v1 | ROUTED p1, PICKUP v1',
    ],
  },
  {
    what: 'outgoing unanswered',
    act: calls(mobile, 60),
    ours: ['CALL MISSED_OUTGOING NOPICKUP MISSED 0s | w0 us > mobile | p0 e0 | '],
  },
  {
    what: 'recorded',
    act: async ({ exchange, ada }) => {
      const { caller, call } = await talking(exchange, ada)
      for (const value of [true, false, true]) {
        await call.record(value, { announcement: false })
        await exchange.seconds(5)
      }
      caller.hangsUp()
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 25s 2 rec | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0'],
  },
]

test('writes the expected history entries for each account', async (t) => {
  const assistant = new ScriptedAssistant()
  const exchange = await openExchange(t, { flows: assistant })
  await exchange.addTrunk()
  for (const { what, act, ours, bobs = [] } of cases)
    await t.test(what, async () => {
      const ada = await exchange.newCustomer()
      const cleo = await newColleague(exchange, ada)
      const bob = await exchange.newCustomer()
      await act({ exchange, assistant, ada, cleo, bob })
      await exchange.rest()
      const names = new Map([
        [ada.number, 'us'],
        [bob.number, 'Bob'],
        [outsideNumber, 'outside'],
        [mobile, 'mobile'],
        [`flow-${ada.accountId}`, 'flow'],
      ])
      const entriesOf = async (of: Customer) => (await exchange.history(of)).map((entry) => notifications(entry, names)).toSorted(byText)
      assert.deepEqual(await entriesOf(ada), ours)
      assert.deepEqual(await entriesOf(bob), bobs)
      assert.equal(exchange.callRouter.size, 0)
    })
})
