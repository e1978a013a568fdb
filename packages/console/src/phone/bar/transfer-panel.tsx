import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useText } from '#words/use-text.tsx'
import type { PhoneCall } from '#api/phone/calls.ts'
import { phoneLine } from '#api/phone/phone-line.ts'
import { PartyField, partyOf } from '../party-field.tsx'
import classes from './call-bar.module.css'
import { text } from './text.ts'

/** To somebody else: at once, or after talking to them while this call is held. */
export const TransferPanel = ({ call, onDone }: { call: PhoneCall; onDone: () => void }) => {
  const say = useText(text)
  const [typed, setTyped] = useState('')
  const { number, name } = partyOf(typed)
  const transfer = (): void => {
    if (number === '') return
    phoneLine.wish((phone) => phone.transfer(call.id, number))
    onDone()
  }
  const ask = (): void => {
    phoneLine.call(number, name === undefined ? {} : { name })
    onDone()
  }
  return (
    <form
      className={classes.panel}
      aria-label={say.transferTitle}
      onSubmit={(event) => {
        event.preventDefault()
        transfer()
      }}
    >
      <Text fw={600} size="sm" mb={6}>
        {say.transferTitle}
      </Text>
      <PartyField label={say.transferTo} description={say.transferHint} value={typed} onChange={setTyped} autoFocus />
      <Group gap="xs" mt="sm">
        <Button type="submit" size="xs" disabled={number === ''}>
          {say.transferNow}
        </Button>
        <Button size="xs" variant="default" disabled={number === ''} onClick={ask}>
          {say.askFirst}
        </Button>
      </Group>
    </form>
  )
}
