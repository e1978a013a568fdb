import type { CallModel, Command, Deed } from './call-model.ts'

export interface Order {
  /** The account whose user asks. */
  by: string
  command: Command
}

export interface PhoneDeed {
  name: string
  does: Deed
}

/** One step of a sequence: what is asked over the interface and what phones do, all at once. */
export interface Action {
  orders: Order[]
  deeds: PhoneDeed[]
}

type Roll = (sides: number) => number

const one = <T>(roll: Roll, list: readonly T[]): T => {
  const chosen = list[roll(list.length)]
  if (chosen === undefined) throw new Error('nothing to choose from')
  return chosen
}

const keys = ['1', '42', '*', '#7']

const harmless: ((roll: Roll) => Command)[] = [
  (roll) => ({ do: 'hold', value: roll(2) === 0 }),
  (roll) => ({ do: 'hold', value: roll(2) === 0 }),
  (roll) => ({ do: 'mute', value: roll(2) === 0 }),
  (roll) => ({ do: 'record', value: roll(2) === 0, announcement: roll(3) === 0 }),
  (roll) => ({ do: 'dtmf', sequence: one(roll, keys) }),
]

type Maker = (model: CallModel, roll: Roll) => Action

const command = (model: CallModel, roll: Roll): Order => ({ by: one(roll, model.accounts), command: one(roll, harmless)(roll) })

const phoneHolds = (model: CallModel, roll: Roll): PhoneDeed => {
  const { name, holds } = one(roll, model.parties)
  return { name, does: holds ? 'takeBack' : 'hold' }
}

const ofOne: Maker = (model, roll) => ({ orders: [command(model, roll)], deeds: [] })

/** Two at once must have the same result in either order, because nobody knows which is first. */
const twoAtOnce: Maker = (model, roll) => {
  const [first, second] = [command(model, roll), command(model, roll)]
  return { orders: [first, second.command.do === first.command.do ? first : second], deeds: [] }
}

const ofPhone: Maker = (model, roll) => ({ orders: [], deeds: [phoneHolds(model, roll)] })

/** Both may want to change the call in the same moment (glare). */
const clash: Maker = (model, roll) => ({ orders: [command(model, roll)], deeds: [phoneHolds(model, roll)] })

const hangUpByOrder: Maker = (model, roll) => ({ orders: [{ by: one(roll, model.accounts), command: { do: 'hangUp' } }], deeds: [] })
const hangUpByPhone: Maker = (model, roll) => ({ orders: [], deeds: [{ name: one(roll, model.parties).name, does: 'hangUp' }] })

/** The end comes in the middle of something else. */
const hangUpMeanwhile: Maker = (model, roll) => {
  const end = ending(model, roll)
  return { orders: [...end.orders, command(model, roll)], deeds: end.deeds }
}

/** How many of a hundred steps are of which kind. */
const shares: readonly (readonly [share: number, make: Maker])[] = [
  [50, ofOne],
  [15, twoAtOnce],
  [17, ofPhone],
  [9, clash],
  [3, hangUpByOrder],
  [3, hangUpByPhone],
  [3, hangUpMeanwhile],
]

export const nextAction: Maker = (model, roll) => {
  let lot = roll(shares.reduce((sum, [share]) => sum + share, 0))
  const chosen = shares.find(([share]) => (lot -= share) < 0)
  return (chosen?.[1] ?? ofOne)(model, roll)
}

/** How a sequence ends that has not ended before. */
export const ending: Maker = (model, roll) => (roll(2) === 0 ? hangUpByOrder : hangUpByPhone)(model, roll)

export const describeAction = ({ orders, deeds }: Action): string =>
  [...orders.map(describeOrder), ...deeds.map(({ name, does }) => `${name} ${does}`)].join(' and ')

const describeOrder = ({ by, command: { do: what, ...options } }: Order): string => `${by}: ${what} ${JSON.stringify(options)}`
