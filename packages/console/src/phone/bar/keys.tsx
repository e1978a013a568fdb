import { Text } from '@mantine/core'
import { useState } from 'react'
import { useText } from '#words/use-text.tsx'
import { Keypad, useTelephoneKeys } from '#lazy-parts/keypad.tsx'
import type { PhoneCall } from '#api/phone/calls.ts'
import { phoneLine } from '#api/phone/phone-line.ts'
import classes from './call-bar.module.css'
import { text } from './text.ts'

/** For menus at the other end: each key goes out as it is pressed, here or on the keyboard. */
export const Keys = ({ call }: { call: PhoneCall }) => {
  const say = useText(text)
  const [sent, setSent] = useState('')
  const press = (digit: string): void => {
    setSent((before) => before + digit)
    phoneLine.wish((phone) => phone.press(call.id, digit))
  }
  const lit = useTelephoneKeys(true, press)
  return (
    <div className={classes.panel}>
      <Keypad label={say.keypad} lit={lit} onPress={press} />
      <Text size="sm" ta="center" aria-live="polite" mih="1.5em" mt={6}>
        {sent !== '' && `${say.keysSent} ${sent}`}
      </Text>
    </div>
  )
}
