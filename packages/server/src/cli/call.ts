import { randomUUID } from 'node:crypto'
import { chooseFlow } from './connection/choose-flow.ts'
import { connect, inWords, type Connection, type ConnectionOptions } from './connection/connection.ts'
import { Mistake } from './terminal/mistake.ts'
import { tail } from './tail.ts'

export interface CallOptions extends ConnectionOptions {
  flow?: string
  device?: string
  follow?: boolean
}

/** With a flow its assistant calls the number; without one your own phone rings first, then the number. */
export const call = async (callee: string, options: CallOptions): Promise<void> => {
  const connection = await connect(options)
  const callId = await order(connection, callee, options).catch((error: unknown) => {
    throw inWords(error, connection.baseUrl)
  })
  console.log(callId)
  if (options.follow === true) await tail({ ...options, call: callId })
}

const order = async (connection: Connection, callee: string, { flow, device }: CallOptions): Promise<string> => {
  const { api } = connection
  const idempotencyKey = randomUUID()
  const phone = device ?? (await firstDevice(connection))
  if (flow === undefined) return (await api.startCall({}, { caller: phone, callee }, { idempotencyKey })).sessionId
  const { id } = await chooseFlow(connection, flow)
  const input = { billingDevice: phone, toPhoneNumber: callee.replace(/^\+/, '') }
  return (await api.callFlow({ aiFlowId: id }, input, { idempotencyKey })).sessionId
}

const firstDevice = async ({ api }: Connection): Promise<string> => {
  const { sub } = await api.getUserInfo()
  const { items } = await api.listUserDevices({ userId: sub })
  const phone = items.find(({ type }) => type === 'REGISTER')
  if (!phone) throw new Mistake(2, 'Which phone? --device with the id of one, such as e0')
  return phone.id
}
