import { Type, type Static } from 'typebox'
import { Problem } from '../problem.ts'

/** Maximum bytes of all variables of a call, as JSON. */
export const maxVariablesBytes = 16 * 1024
const maxVariables = 200

/** Names as in most template languages; a leading underscore is reserved. */
const name = '[A-Za-z][A-Za-z0-9_]{0,63}'
export const VariableValue = Type.Union([Type.String({ maxLength: 8_000 }), Type.Number(), Type.Boolean()])

const shapeOf = <T extends Parameters<typeof Type.Record>[1]>(of: T, description: string) =>
  Type.Record(Type.String({ pattern: `^${name}$` }), of, { additionalProperties: false, maxProperties: maxVariables, description })

export const variablesShape = (description: string) => shapeOf(VariableValue, description)

/** Null removes a variable. */
export const VariableChanges = shapeOf(
  Type.Union([...VariableValue.anyOf, Type.Null()]),
  'Merged into session.variables; null removes one. At most 16 KiB of JSON together',
)

export const Variables = variablesShape('Of this call. Precedence: set_variables, the call, the number, the flow. Missing: there are none')
export type Variables = Static<typeof Variables>
export type VariableValue = Static<typeof VariableValue>
export type VariableChanges = Static<typeof VariableChanges>

export const isVariableName = (text: string): boolean => new RegExp(`^${name}$`).test(text)

/** Later layers win; null removes. */
export const mergeVariables = (...layers: readonly (VariableChanges | undefined)[]): Variables => {
  const merged = Object.assign({}, ...layers) as VariableChanges
  return Object.fromEntries(Object.entries(merged).filter(([, one]) => one !== null)) as Variables
}

export const areTooLarge = (variables: Variables): boolean => new TextEncoder().encode(JSON.stringify(variables)).length > maxVariablesBytes

/** As contained in a session: nothing without variables, because strict endpoints may not know the field. */
export const givenVariables = (variables: Variables): { variables?: Variables } => (Object.keys(variables).length > 0 ? { variables } : {})

/** `defaults`: counted with them, because events contain both. */
export const requireFittingVariables = (field: string, variables: Variables = {}, defaults: Variables = {}): void => {
  if (areTooLarge(mergeVariables(defaults, variables)))
    throw Problem.field(field, `must not be larger than ${maxVariablesBytes} bytes of JSON, the defaults of the flow included`)
}
