import { Type, type TProperties, type TSchema } from 'typebox'

/** For requests: closed, so that a misspelt field is an error instead of ignored. */
export const Input = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })

/** For replies: open, because fields may be added later. */
export const Output = <P extends TProperties>(properties: P, options: { description?: string } = {}) => Type.Object(properties, options)

export const Items = <T extends TSchema>(of: T) => Output({ items: Type.Array(of), totalCount: TotalCount })

/** For lists without their own limit. */
export const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Elements of a page; all unless told' }))
export const Offset = Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Elements to skip' }))
export const TotalCount = Type.Optional(
  Type.Integer({ description: 'With limit or offset: all that match; absent where counting would take long' }),
)

export const Text = (maxLength = 255) => Type.String({ maxLength })
export const RequiredText = (maxLength = 255) => Type.String({ minLength: 1, maxLength })

/** For people and SIP displays: at least one visible character, no line breaks or other control characters. */
export const DisplayName = Type.String({ minLength: 1, maxLength: 100, pattern: '^(?=.*\\S)[^\\x00-\\x1f\\x7f]+$' })

/** One of a few words. Written as `enum` so that the message and the documentation list them. */
export const OneOf = <const V extends readonly string[]>(values: V, options: { description?: string } = {}) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })

export const Email = Type.String({ minLength: 3, maxLength: 254, format: 'email' })

export const Locale = OneOf(['de_DE', 'en_US'])

export const Nullable = <T extends TSchema>(of: T) => Type.Union([of, Type.Null()])

/** `{ value: string }`, the shape of most single settings. */
export const ValueText = (maxLength = 255) => Input({ value: Text(maxLength) })
export const Enabled = Input({ enabled: Type.Boolean() })
export const Value = Output({ value: Type.String() })

/** ISO 8601 in UTC. */
export const Timestamp = Type.String({ description: 'ISO 8601, UTC' })

export const AliasedId = Output({ id: Type.String(), alias: Type.String() })
