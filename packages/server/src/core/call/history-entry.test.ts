import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addFlow, callOut, ScriptedAssistant } from '../../../../../test/support/scripted-assistant.ts'
import { aNumber, openExchange, stranger, type Customer, type Exchange } from '../../../../../test/support/scripted-exchange.ts'
import { orderCall } from '../../../../../test/support/scripted-order.ts'
import { talking, transferring } from '../../../../../test/support/transfers.ts'
import { createGroup } from '../lines/group.ts'
import type { HistoryEntry } from '../ports/store/history.ts'
import type { Forwarding } from '../ports/store/phonelines.ts'

const byText = (a: string, b: string): number => a.localeCompare(b)

const mobile = '+4915112345678'

/** Ada (w0: p0, e0) and her colleague Cleo (w1: p1, e1, quick dial 44) in one account, Bob in another one. */
interface Cast {
  exchange: Exchange
  assistant: ScriptedAssistant
  ada: Customer
  cleo: Customer
  bob: Customer
}

interface Case {
  what: string
  act: (cast: Cast) => Promise<unknown>
  /** Entries of the account of the two. */
  ours: string[]
  bobs?: string[]
}

const newColleague = (exchange: Exchange, { accountId, number }: Customer): Promise<Customer> =>
  exchange.store.write(async (tables) => {
    const userId = await exchange.addUser(tables, accountId)
    const [line] = await tables.phonelines.list(accountId, userId)
    assert.ok(line)
    const { e164: _none, ...quickDial } = aNumber('')
    await tables.numbers.insert(accountId, { ...quickDial, short: '44', type: 'QUICKDIAL', endpointId: line.id })
    return { accountId, userId, line: line.id, number, deviceId: await exchange.addDevice(tables, accountId, userId) }
  })

const forward = ({ store }: Exchange, { accountId, line }: Customer, more: Partial<Forwarding>): Promise<void> =>
  store.write((tables) =>
    tables.phonelines.replaceForwardings(accountId, line, [{ destination: mobile, timeout: 0, active: true, ...more }]),
  )

const absent = ({ telephony }: Exchange, { accountId, deviceId }: Customer): void => telephony.register(accountId, deviceId, 0)

const noVoicemail = ({ store }: Exchange, { accountId, line }: Customer): Promise<void> =>
  store.write(async (tables) => {
    const [voicemail] = await tables.voicemails.listByOwner(accountId, line)
    await tables.voicemails.update(accountId, voicemail?.id ?? '', { active: false })
  })

/** The phone that rings is picked up, and so many seconds are talked. */
const talk = async ({ exchange }: Cast, seconds: number): Promise<void> => {
  exchange.phone.answers()
  await exchange.seconds(seconds)
}

const hangUp = async ({ exchange }: Cast, leg: { hangsUp(): void }): Promise<void> => {
  leg.hangsUp()
  await exchange.rest()
}

/** Everything that the entry claims, in one line. */
const told = (entry: HistoryEntry, names: Map<string, string>): string => {
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
    act: async (cast) => {
      const caller = await cast.exchange.callIn(cast.ada.number)
      await talk(cast, 42)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 42s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0'],
  },
  {
    what: 'missed',
    act: async (cast) => {
      const caller = await cast.exchange.callIn(cast.ada.number)
      await cast.exchange.seconds(10)
      await hangUp(cast, caller)
    },
    ours: ['CALL MISSED_INCOMING NOPICKUP MISSED 0s | w0 outside > us | p0 | ROUTED p0'],
  },
  {
    what: 'busy',
    act: async (cast) => {
      await noVoicemail(cast.exchange, cast.ada)
      await cast.exchange.callIn(cast.ada.number)
      cast.exchange.phone.refuses('busy', 486)
    },
    ours: ['CALL MISSED_INCOMING BUSY BUSY 0s | w0 outside > us | p0 | ROUTED p0'],
  },
  {
    what: 'busy, with voicemail',
    act: async (cast) => {
      const caller = await cast.exchange.callIn(cast.ada.number)
      cast.exchange.phone.refuses('busy', 486)
      await cast.exchange.seconds(10)
      await hangUp(cast, caller)
    },
    ours: ['VOICEMAIL INCOMING NOPICKUP 6s 1 rec | w0 outside > us | p0 v0 | ROUTED p0, PICKUP v0'],
  },
  {
    what: 'rejected',
    act: async (cast) => {
      await noVoicemail(cast.exchange, cast.ada)
      await cast.exchange.callIn(cast.ada.number)
      cast.exchange.phone.refuses('rejected', 603)
    },
    ours: ['CALL MISSED_INCOMING NOPICKUP REJECTED 0s | w0 outside > us | p0 | ROUTED p0'],
  },
  {
    what: 'not to be disturbed',
    act: async ({ exchange, ada }) => {
      await noVoicemail(exchange, ada)
      await exchange.store.write((tables) => tables.devices.update(ada.accountId, ada.deviceId, { dnd: true }))
      await exchange.callIn(ada.number)
    },
    ours: ['CALL MISSED_INCOMING NOPICKUP REJECTED_DND 0s | w0 outside > us | p0 | ROUTED p0'],
  },
  {
    what: 'busy on busy',
    act: async (cast) => {
      const { exchange, ada } = cast
      await exchange.store.write((tables) => tables.phonelines.update(ada.accountId, ada.line, { busyOnBusy: true }))
      const first = await exchange.callIn(ada.number)
      await talk(cast, 5)
      await exchange.callIn(ada.number)
      await hangUp(cast, first)
    },
    ours: [
      'CALL INCOMING PICKUP SUCCESS 5s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0',
      'CALL MISSED_INCOMING BUSY BUSY_ON_BUSY 0s | w0 outside > us | p0 | ROUTED p0',
    ],
  },
  {
    what: 'group',
    act: async (cast) => {
      const { exchange, ada, cleo } = cast
      await exchange.store.write(async (tables) => {
        const members = [ada.userId, cleo.userId]
        const group = await createGroup(tables, exchange.clock, ada.accountId, {
          alias: 'Team',
          strategy: 'LINEAR',
          ringSeconds: 15,
          members,
        })
        const number = await tables.numbers.findByE164(ada.accountId, ada.number)
        await tables.numbers.setRouting(ada.accountId, number?.id ?? '', { endpointId: group })
      })
      const caller = await exchange.callIn(ada.number)
      await exchange.seconds(15)
      await talk(cast, 9)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 9s | w1 outside > us | g0 e1 | ROUTED g0, PICKUP e1'],
  },
  {
    what: 'forwarded outside',
    act: async (cast) => {
      await forward(cast.exchange, cast.ada, {})
      const caller = await cast.exchange.callIn(cast.ada.number)
      await talk(cast, 20)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING FORWARD SUCCESS 20s | w0 outside > us | p0 | ROUTED p0, FORWARDED mobile'],
  },
  {
    what: 'forwarded outside, unanswered',
    act: async (cast) => {
      await forward(cast.exchange, cast.ada, {})
      const caller = await cast.exchange.callIn(cast.ada.number)
      await hangUp(cast, caller)
    },
    ours: ['CALL MISSED_INCOMING NOPICKUP MISSED 0s | w0 outside > us | p0 | ROUTED p0, FORWARDED mobile'],
  },
  {
    what: 'forwarded inside',
    act: async (cast) => {
      await forward(cast.exchange, cast.ada, { destination: cast.cleo.line })
      const caller = await cast.exchange.callIn(cast.ada.number)
      await talk(cast, 20)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 20s | w1 outside > us | p0 p1 e1 | ROUTED p0, FORWARDED p1, PICKUP e1'],
  },
  {
    what: 'forwarded to another account',
    act: async (cast) => {
      await forward(cast.exchange, cast.ada, { destination: cast.bob.number })
      const caller = await cast.exchange.callIn(cast.ada.number)
      await talk(cast, 20)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING FORWARD SUCCESS 20s | w0 outside > us | p0 | ROUTED p0, FORWARDED Bob'],
    bobs: ['CALL INCOMING PICKUP SUCCESS 20s | w0 outside > Bob | p0 e0 | ROUTED p0, PICKUP e0'],
  },
  {
    what: 'voicemail',
    act: async (cast) => {
      absent(cast.exchange, cast.ada)
      const caller = await cast.exchange.callIn(cast.ada.number)
      await cast.exchange.seconds(4 + 12)
      await hangUp(cast, caller)
    },
    ours: ['VOICEMAIL INCOMING NOPICKUP 12s 1 rec | w0 outside > us | p0 v0 | ROUTED p0, PICKUP v0'],
  },
  {
    what: 'voicemail without message',
    act: async (cast) => {
      absent(cast.exchange, cast.ada)
      const caller = await cast.exchange.callIn(cast.ada.number)
      await cast.exchange.seconds(3)
      await hangUp(cast, caller)
    },
    ours: ['CALL MISSED_INCOMING NOPICKUP VOICEMAIL_NO_MESSAGE 0s | w0 outside > us | p0 v0 | ROUTED p0, PICKUP v0'],
  },
  {
    what: 'voicemail of a colleague',
    act: async (cast) => {
      absent(cast.exchange, cast.cleo)
      const caller = await cast.exchange.callFrom(cast.ada, '44')
      await cast.exchange.seconds(4 + 12)
      await hangUp(cast, caller)
    },
    ours: [
      'CALL OUTGOING PICKUP SUCCESS 16s | w0 us > p1 | p0 e0 | ROUTED p1, PICKUP v1',
      'VOICEMAIL INCOMING NOPICKUP 12s 1 rec | w1 us > p1 | p1 v1 | ROUTED p1, PICKUP v1',
    ],
  },
  {
    what: 'voicemail of a colleague without message',
    act: async (cast) => {
      absent(cast.exchange, cast.cleo)
      const caller = await cast.exchange.callFrom(cast.ada, '44')
      await cast.exchange.seconds(3)
      await hangUp(cast, caller)
    },
    ours: ['CALL MISSED_OUTGOING NOPICKUP VOICEMAIL_NO_MESSAGE 0s | w0 us > p1 | p0 e0 p1 v1 | ROUTED p1, PICKUP v1'],
  },
  {
    what: 'colleague, answered',
    act: async (cast) => {
      const caller = await cast.exchange.callFrom(cast.ada, '44')
      await talk(cast, 7)
      await hangUp(cast, caller)
    },
    ours: ['CALL OUTGOING PICKUP SUCCESS 7s | w0 us > p1 | p0 e0 p1 e1 | ROUTED p1, PICKUP e1'],
  },
  {
    what: 'colleague, missed',
    act: async (cast) => {
      const caller = await cast.exchange.callFrom(cast.ada, '44')
      await hangUp(cast, caller)
    },
    ours: ['CALL MISSED_OUTGOING NOPICKUP MISSED 0s | w0 us > p1 | p0 e0 p1 | ROUTED p1'],
  },
  {
    what: 'assistant',
    act: async (cast) => {
      await addFlow(cast.exchange, cast.ada)
      const caller = await cast.exchange.callIn(cast.ada.number)
      await cast.exchange.seconds(12)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 12s | - outside > us | flow | ROUTED flow, PICKUP flow'],
  },
  {
    what: 'assistant, then a colleague',
    act: async (cast) => {
      await addFlow(cast.exchange, cast.ada, { transferTargets: [cast.cleo.line] })
      const caller = await cast.exchange.callIn(cast.ada.number)
      await cast.exchange.seconds(12)
      void cast.assistant.call.transfer(cast.cleo.line, {})
      await cast.exchange.rest()
      await talk(cast, 20)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 32s | w1 outside > us | flow p1 e1 | ROUTED flow, PICKUP flow, FORWARDED p1, PICKUP e1'],
  },
  {
    what: 'assistant, then a voicemail',
    act: async (cast) => {
      absent(cast.exchange, cast.cleo)
      await addFlow(cast.exchange, cast.ada, { transferTargets: [cast.cleo.line] })
      const caller = await cast.exchange.callIn(cast.ada.number)
      await cast.exchange.seconds(12)
      void cast.assistant.call.transfer(cast.cleo.line, {})
      await cast.exchange.seconds(4 + 9)
      await hangUp(cast, caller)
    },
    ours: [
      'CALL INCOMING PICKUP SUCCESS 12s | - outside > us | flow | ROUTED flow, PICKUP flow, FORWARDED p1, PICKUP v1',
      'VOICEMAIL INCOMING NOPICKUP 9s 1 rec | w1 outside > p1 | p1 v1 | FORWARDED p1, PICKUP v1',
    ],
  },
  {
    what: 'assistant calls out',
    act: async (cast) => {
      await addFlow(cast.exchange, cast.ada)
      await callOut(cast.exchange, cast.ada, mobile)
      const callee = cast.exchange.phone
      await talk(cast, 20)
      await hangUp(cast, callee)
    },
    ours: ['CALL OUTGOING PICKUP SUCCESS 20s | w0 us > mobile | flow e0 | '],
  },
  {
    what: 'blind by phone, another account',
    act: async (cast) => {
      const { caller, phone } = await talking(cast.exchange, cast.ada)
      phone.asksTransfer({ dialled: cast.bob.number })
      await cast.exchange.rest()
      await talk(cast, 20)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 10s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0, FORWARDED Bob'],
    bobs: ['CALL INCOMING PICKUP SUCCESS 20s | w0 us > Bob | p0 e0 | ROUTED p0, PICKUP e0'],
  },
  {
    what: 'blind by phone, colleague',
    act: async (cast) => {
      const { caller, phone } = await talking(cast.exchange, cast.ada)
      phone.asksTransfer({ dialled: '44' })
      await cast.exchange.rest()
      await talk(cast, 20)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 30s | w1 outside > us | p0 e0 p1 e1 | ROUTED p0, PICKUP e0, FORWARDED p1, PICKUP e1'],
  },
  {
    what: 'blind by REST, outside',
    act: async (cast) => {
      const { caller, callId } = await talking(cast.exchange, cast.ada)
      transferring(cast.exchange, cast.ada, callId, { phoneNumber: mobile })
      await cast.exchange.rest()
      await talk(cast, 20)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 30s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0, FORWARDED mobile'],
  },
  {
    what: 'blind by REST, unanswered, comes back',
    act: async (cast) => {
      const { caller, callId } = await talking(cast.exchange, cast.ada)
      transferring(cast.exchange, cast.ada, callId, { phoneNumber: mobile })
      await cast.exchange.rest()
      cast.exchange.phone.rings()
      await cast.exchange.seconds(40)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 50s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0'],
  },
  {
    what: 'blind by phone, voicemail of a colleague',
    act: async (cast) => {
      absent(cast.exchange, cast.cleo)
      const { caller, phone } = await talking(cast.exchange, cast.ada)
      phone.asksTransfer({ dialled: '44' })
      await cast.exchange.seconds(4 + 9)
      await hangUp(cast, caller)
    },
    ours: [
      'CALL INCOMING PICKUP SUCCESS 10s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0, FORWARDED p1, PICKUP v1',
      'VOICEMAIL INCOMING NOPICKUP 9s 1 rec | w1 outside > p1 | p1 v1 | FORWARDED p1, PICKUP v1',
    ],
  },
  {
    what: 'blind by phone, voicemail of a colleague without message',
    act: async (cast) => {
      absent(cast.exchange, cast.cleo)
      const { caller, phone } = await talking(cast.exchange, cast.ada)
      phone.asksTransfer({ dialled: '44' })
      await cast.exchange.seconds(3)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 10s | w0 outside > us | p0 e0 p1 v1 | ROUTED p0, PICKUP e0, FORWARDED p1, PICKUP v1'],
  },
  {
    what: 'attended by REST, colleague',
    act: async (cast) => {
      const { caller, callId, phone } = await talking(cast.exchange, cast.ada)
      transferring(cast.exchange, cast.ada, callId, { phoneNumber: cast.cleo.line, attended: true })
      await cast.exchange.rest()
      await talk(cast, 5)
      await hangUp(cast, phone)
      await cast.exchange.seconds(20)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 35s | w1 outside > us | p0 e0 p1 e1 | ROUTED p0, PICKUP e0, FORWARDED p1, PICKUP e1'],
  },
  {
    what: 'attended by REST, another account',
    act: async (cast) => {
      const { caller, callId, phone } = await talking(cast.exchange, cast.ada)
      transferring(cast.exchange, cast.ada, callId, { phoneNumber: cast.bob.number, attended: true })
      await cast.exchange.rest()
      await talk(cast, 5)
      await hangUp(cast, phone)
      await cast.exchange.seconds(20)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 15s | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0, FORWARDED Bob'],
    bobs: ['CALL INCOMING PICKUP SUCCESS 25s | w0 us > Bob | p0 e0 | ROUTED p0, PICKUP e0'],
  },
  {
    what: 'attended by phone, another account',
    act: async (cast) => {
      const { caller, phone } = await talking(cast.exchange, cast.ada)
      phone.holds(true)
      const second = await cast.exchange.callFrom(cast.ada, cast.bob.number)
      await talk(cast, 5)
      phone.asksTransfer({ leg: second })
      await cast.exchange.seconds(20)
      await hangUp(cast, caller)
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
    act: async (cast) => {
      await orderCall(cast.exchange, cast.ada, { callee: mobile })
      const caller = cast.exchange.phone
      caller.answers()
      await cast.exchange.seconds(3)
      await talk(cast, 20)
      await hangUp(cast, caller)
    },
    ours: ['CALL OUTGOING PICKUP SUCCESS 20s | w0 us > mobile | p0 e0 | '],
  },
  {
    what: 'click to call, caller does not pick up',
    act: async (cast) => {
      await orderCall(cast.exchange, cast.ada, { callee: mobile })
      await cast.exchange.seconds(60)
    },
    ours: ['CALL MISSED_OUTGOING NOPICKUP MISSED 0s | w0 us > mobile | p0 e0 | '],
  },
  {
    what: 'click to call, callee does not',
    act: async (cast) => {
      await orderCall(cast.exchange, cast.ada, { callee: mobile })
      cast.exchange.phone.answers()
      await cast.exchange.seconds(70)
    },
    ours: ['CALL MISSED_OUTGOING NOPICKUP MISSED 0s | w0 us > mobile | p0 e0 | '],
  },
  {
    what: 'click to call to a colleague’s voicemail',
    act: async (cast) => {
      absent(cast.exchange, cast.cleo)
      await orderCall(cast.exchange, cast.ada, { callee: cast.cleo.line })
      const caller = cast.exchange.phone
      caller.answers()
      await cast.exchange.seconds(4 + 9)
      await hangUp(cast, caller)
    },
    ours: [
      'CALL OUTGOING PICKUP SUCCESS 13s | w0 us > p1 | p0 e0 | ROUTED p1, PICKUP v1',
      'VOICEMAIL INCOMING NOPICKUP 9s 1 rec | w1 us > p1 | p1 v1 | ROUTED p1, PICKUP v1',
    ],
  },
  {
    what: 'outgoing unanswered',
    act: async (cast) => {
      await cast.exchange.callFrom(cast.ada, mobile)
      await cast.exchange.seconds(60)
    },
    ours: ['CALL MISSED_OUTGOING NOPICKUP MISSED 0s | w0 us > mobile | p0 e0 | '],
  },
  {
    what: 'recorded',
    act: async (cast) => {
      const { caller, call } = await talking(cast.exchange, cast.ada)
      await call.record(true, { announcement: false })
      await cast.exchange.seconds(5)
      await call.record(false, { announcement: false })
      await call.record(true, { announcement: false })
      await cast.exchange.seconds(5)
      await hangUp(cast, caller)
    },
    ours: ['CALL INCOMING PICKUP SUCCESS 20s 2 rec | w0 outside > us | p0 e0 | ROUTED p0, PICKUP e0'],
  },
]

test('what each account reads about a call', async (t) => {
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
        [stranger, 'outside'],
        [mobile, 'mobile'],
        [`flow-${ada.accountId}`, 'flow'],
      ])
      const entriesOf = async (of: Customer) => (await exchange.history(of)).map((entry) => told(entry, names)).toSorted(byText)
      assert.deepEqual(await entriesOf(ada), ours)
      assert.deepEqual(await entriesOf(bob), bobs)
      assert.equal(exchange.switchboard.size, 0)
    })
})
