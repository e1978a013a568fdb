import type { CallModel } from './call-model.ts'
import type { Command, PhoneAction, PhoneBehaviour } from './model-types.ts'

export interface Order {
  /** Requesting party of the call. */
  by: string
  command: Command
}

export interface PhoneStep {
  name: string
  does: PhoneAction
}

/** One step of a sequence: concurrent API requests and phone actions. */
export interface Action {
  orders: Order[]
  phoneActions: PhoneStep[]
}

export type Roll = (sides: number) => number
type Maker = (model: CallModel, roll: Roll) => Action

const one = <T>(roll: Roll, list: readonly T[]): T => {
  const chosen = list[roll(list.length)]
  if (chosen === undefined) throw new Error('nothing to choose from')
  return chosen
}

const keys = ['1', '42', '*', '#7']

const commands: ((roll: Roll) => Command)[] = [
  (roll) => ({ do: 'hold', value: roll(2) === 0 }),
  (roll) => ({ do: 'hold', value: roll(2) === 0 }),
  (roll) => ({ do: 'mute', value: roll(2) === 0 }),
  (roll) => ({ do: 'record', value: roll(2) === 0, announcement: roll(4) === 0 }),
  (roll) => ({ do: 'dtmf', sequence: one(roll, keys) }),
  () => ({ do: 'announce' }),
]

const member = (model: CallModel, roll: Roll): string => one(roll, model.members).name
const command = (model: CallModel, roll: Roll): Order => ({ by: member(model, roll), command: one(roll, commands)(roll) })
const ask = (by: string, what: Command): Action => ({ orders: [{ by, command: what }], phoneActions: [] })
const phoneAction = (name: string, does: PhoneAction): Action => ({ orders: [], phoneActions: [{ name, does }] })
const both = (first: Action, second: Action): Action => ({
  orders: [...first.orders, ...second.orders],
  phoneActions: [...first.phoneActions, ...second.phoneActions],
})

const ofOne: Maker = (model, roll) => ({ orders: [command(model, roll)], phoneActions: [] })

/** Two concurrent commands must have the same result in either order, because the order is unknown. */
const twoAtOnce: Maker = (model, roll) => {
  const [first, second] = [command(model, roll), command(model, roll)]
  return { orders: [first, second.command.do === first.command.do ? first : second], phoneActions: [] }
}

const phoneHolds: Maker = (model, roll) => {
  const { name, holds } = one(roll, model.parties)
  return phoneAction(name, holds ? 'takeBack' : 'hold')
}

/** Both may change the call at the same moment (glare). Commands to phones are left out: it is unknown whether they still listen. */
const clash: Maker = (model, roll) => {
  const order = command(model, roll)
  const sent = order.command.do === 'dtmf' || order.command.do === 'announce'
  return both({ orders: sent ? [] : [order], phoneActions: [] }, phoneHolds(model, roll))
}
/** During a consultation only the account that requested it can end everything. */
const hangUpByOrder: Maker = (model, roll) => {
  const { openTransfer } = model
  return ask(openTransfer && !openTransfer.ringing ? openTransfer.owner.name : member(model, roll), { do: 'hangUp' })
}
const hangUpByPhone: Maker = (model, roll) => phoneAction(one(roll, model.parties).name, 'hangUp')
/** Hang-up during another action. */
const hangUpMeanwhile: Maker = (model, roll) => both(hangUpByOrder(model, roll), ofOne(model, roll))

const behaviour: readonly PhoneBehaviour[] = ['answers', 'answers', 'rings', 'rings', 'busy']

const transfer: Maker = (model, roll) => {
  const to = one(roll, model.absent).name
  return ask(member(model, roll), { do: 'transfer', to, attended: roll(2) === 0, behaviour: one(roll, behaviour) })
}

const pickUp: Maker = (model) => phoneAction(model.openTransfer?.target.name ?? '', 'pickUp')
const refuse: Maker = (model) => phoneAction(model.openTransfer?.target.name ?? '', 'refuse')

/** The remaining party talks with the new one in either order. */
const pickUpAndLeave: Maker = (model, roll) => both(pickUp(model, roll), phoneAction(model.openTransfer?.owner.name ?? '', 'hangUp'))

/** Two of three parties leave concurrently: the third is alone in either order. */
const twoLeave: Maker = (model, roll) => {
  const stays = one(roll, model.parties)
  const [first, second] = model.parties.filter((party) => party !== stays).map(({ name }) => phoneAction(name, 'hangUp'))
  return first && second ? both(first, second) : hangUpByPhone(model, roll)
}

/** The transferee leaves at the same moment, so there is no transfer. */
const transferAndLeave: Maker = (model, roll) => {
  const [by, to] = [member(model, roll), one(roll, model.absent).name]
  const others = model.parties.filter(({ name }) => name !== by)
  return both(ask(by, { do: 'transfer', to, attended: roll(2) === 0, behaviour: 'rings' }), phoneAction(one(roll, others).name, 'hangUp'))
}

/** Completes or repeats the consultation, or names another target. */
const decide: Maker = (model, roll) => {
  const to = roll(5) > 0 ? model.openTransfer?.target.name : model.absent[0]?.name
  return ask(member(model, roll), {
    do: 'transfer',
    to: to ?? model.openTransfer?.target.name ?? '',
    attended: roll(3) === 0,
    behaviour: 'answers',
  })
}

const callOff: Maker = (model, roll) => ask(member(model, roll), { do: 'hold', value: roll(2) === 0 })

type Shares = readonly (readonly [share: number, make: Maker])[]

const whileTalking: Shares = [
  [40, ofOne],
  [12, twoAtOnce],
  [14, phoneHolds],
  [8, clash],
  [18, transfer],
  [2, transferAndLeave],
  [2, hangUpByOrder],
  [2, hangUpByPhone],
  [4, hangUpMeanwhile],
]

const whileRinging: Shares = [
  [35, pickUp],
  [8, pickUpAndLeave],
  [25, refuse],
  [15, hangUpByPhone],
  [15, ofOne],
  [5, hangUpByOrder],
]

const whileConsulting: Shares = [
  [25, decide],
  [20, callOff],
  [25, hangUpByPhone],
  [5, twoLeave],
  [20, ofOne],
  [10, phoneHolds],
  [5, hangUpByOrder],
]

/** Actions while all three are on hold. */
const whileAllWait: Shares = [
  [60, hangUpByPhone],
  [20, decide],
  [20, callOff],
]

/** Actions while an external caller waits, who has no API access to the call. */
const whileWaiting: Shares = [
  [50, pickUp],
  [30, refuse],
  [20, hangUpByPhone],
]

const sharesNow = ({ openTransfer, members, parties }: CallModel): Shares => {
  if (!openTransfer) return whileTalking
  if (members.length === 0) return whileWaiting
  if (openTransfer.ringing) return whileRinging
  return parties.every(({ held }) => held) ? whileAllWait : whileConsulting
}

export const nextAction: Maker = (model, roll) => {
  const shares = sharesNow(model)
  let lot = roll(shares.reduce((sum, [share]) => sum + share, 0))
  const chosen = shares.find(([share]) => (lot -= share) < 0)
  return (chosen?.[1] ?? ofOne)(model, roll)
}

/** Ends a sequence that has not ended before. */
export const ending: Maker = (model, roll) => {
  if (model.members.length === 0) return hangUpByPhone(model, roll)
  return roll(2) === 0 || model.openTransfer ? hangUpByOrder(model, roll) : hangUpByPhone(model, roll)
}

export const describeAction = ({ orders, phoneActions }: Action): string =>
  [...orders.map(describeOrder), ...phoneActions.map(({ name, does }) => `${name} ${does}`)].join(' and ')

const describeOrder = ({ by, command: { do: what, ...options } }: Order): string => `${by}: ${what} ${JSON.stringify(options)}`
