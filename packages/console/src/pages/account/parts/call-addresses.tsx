import { TextInput, type TextInputProps } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Field = Pick<TextInputProps, 'value' | 'onChange' | 'error'>

interface CallAddressesProps {
  incoming: Field
  outgoing: Field
  /** Meaning of an empty field. */
  whenEmpty: string
}

/** Webhook addresses for inbound and outbound calls. */
export const CallAddresses = ({ incoming, outgoing, whenEmpty }: CallAddressesProps) => {
  const say = useText(text)
  const address = { type: 'url', maxLength: 2048, placeholder: 'https://calls.example/in', autoComplete: 'off', spellCheck: false } as const
  return (
    <>
      <TextInput label={say.incomingAddress} description={`${say.addressHint} ${whenEmpty}`} {...address} {...incoming} />
      <TextInput label={say.outgoingAddress} {...address} placeholder="https://calls.example/out" {...outgoing} />
    </>
  )
}
