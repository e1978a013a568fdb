import { randomUUID } from 'node:crypto'
import type { Variables } from '@offhook/contract/assistant/variables.ts'
import { chooseFlow } from './connection/choose-flow.ts'
import { connect, inWords, type Connection, type ConnectionOptions } from './connection/connection.ts'
import { Mistake } from './terminal/mistake.ts'
import { tail } from './tail.ts'

export interface CallOptions extends ConnectionOptions {
  flow?: string
  device?: string
  /** JSON. */
  variables?: string
  correlationId?: string
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

const order = async (connection: Connection, callee: string, { flow, device, variables, correlationId }: CallOptions): Promise<string> => {
  const { api } = connection
  const idempotencyKey = randomUUID()
  const phone = device ?? (await firstDevice(connection))
  if (flow === undefined && (variables ?? correlationId) !== undefined)
    throw new Mistake(2, '--variables and --correlation-id are for the call of an assistant: --flow with its name')
  if (flow === undefined) return (await api.startCall({}, { caller: phone, callee }, { idempotencyKey })).sessionId
  const { id } = await chooseFlow(connection, flow)
  const input = {
    billingDevice: phone,
    toPhoneNumber: callee.replace(/^\+/, ''),
    ...(variables !== undefined && { variables: readVariables(variables) }),
    ...(correlationId !== undefined && { correlationId }),
  }
  return (await api.callFlow({ aiFlowId: id }, input, { idempotencyKey })).sessionId
}

/** The service checks names and values. */
const readVariables = (text: string): Variables => {
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Variables
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Mistake(2, `--variables must be a JSON object, such as '{"first_name": "Ada"}'`)
}

const firstDevice = async ({ api }: Connection): Promise<string> => {
  const { sub } = await api.getUserInfo()
  const { items } = await api.listUserDevices({ userId: sub })
  const phone = items.find(({ type }) => type === 'REGISTER')
  if (!phone) throw new Mistake(2, 'Which phone? --device with the id of one, such as e0')
  return phone.id
}
