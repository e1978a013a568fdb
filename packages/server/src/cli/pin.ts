import { writeFile } from 'node:fs/promises'
import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { stringify } from 'yaml'
import { chooseCall } from './connection/choose-call.ts'
import { chooseFlow } from './connection/choose-flow.ts'
import { connect, inWords, type Connection, type ConnectionOptions } from './connection/connection.ts'
import { Mistake } from './terminal/mistake.ts'

export interface PinOptions extends ConnectionOptions {
  words?: boolean
  name?: string
  flow?: string
  required?: boolean
  output?: string
}

/** Creates a scenario from a call: a file, or stored with a flow. */
export const pin = async (call: string, options: PinOptions): Promise<void> => {
  const { flow, output, required } = options
  if (flow !== undefined && output !== undefined) throw new Mistake(2, 'Either --flow or -o: it is kept in one place.')
  if (flow === undefined && required === true) throw new Mistake(2, '--required is for what is kept with a flow: --flow NAME')
  const connection = await connect(options)
  try {
    const callId = await chooseCall(connection, call)
    const scenario = await connection.api.getCallScenario({ callId, ...(options.words === true && { words: true }) })
    const named = options.name === undefined ? scenario : { ...scenario, name: options.name }
    if (flow === undefined) await write(named, output ?? fileOf(named))
    else await keep(connection, flow, named, required === true)
  } catch (error) {
    throw inWords(error, connection.baseUrl)
  }
}

const fileOf = ({ name }: Scenario): string => `${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.scenario.yaml`

const write = async (scenario: Scenario, file: string): Promise<void> => {
  const text = file.endsWith('.json') ? `${JSON.stringify(scenario, undefined, 2)}\n` : stringify(scenario, { lineWidth: 120 })
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new Mistake(1, `${file} is there already. Name another one: -o`)
    throw new Mistake(1, `${file} cannot be written: ${error.message}`)
  })
  console.log(file)
}

const keep = async (connection: Connection, flow: string, scenario: Scenario, required: boolean): Promise<void> => {
  const { id: aiFlowId, name } = await chooseFlow(connection, flow)
  await connection.api.setScenario({ aiFlowId, name: scenario.name }, { ...scenario, ...(required && { required }) })
  console.log(`${scenario.name} is kept with ${name}`)
}
