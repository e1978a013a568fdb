import { TextInput, type TextInputProps } from '@mantine/core'
import { useText } from '../../words/use-text.tsx'
import { text } from './text.ts'

type Field = Pick<TextInputProps, 'value' | 'onChange' | 'error'>

/** Where incoming and outgoing calls are told to; empty for nowhere. */
export const CallAddresses = ({ incoming, outgoing }: { incoming: Field; outgoing: Field }) => {
  const say = useText(text)
  const address = { type: 'url', maxLength: 2048, placeholder: 'https://calls.example/in', autoComplete: 'off', spellCheck: false } as const
  return (
    <>
      <TextInput label={say.incomingAddress} description={say.addressHint} {...address} {...incoming} />
      <TextInput label={say.outgoingAddress} {...address} placeholder="https://calls.example/out" {...outgoing} />
    </>
  )
}
