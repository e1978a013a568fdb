import { ActionIcon, Button, Group, Stack } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { dialable, isOwn } from '#api/phone/calls.ts'
import { phoneLine, usePhone } from '#api/phone/phone-line.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { CallPrice } from '#lazy-parts/call-price.tsx'
import { Keypad } from '#lazy-parts/keypad.tsx'
import { PartyField, partyOf } from '#phone/party-field.tsx'
import { isSoundPossible } from '#phone/sound/microphone.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** `first`: what stands in the field at the beginning. It is never dialled without a click: any website may have put it there. */
export const DialSection = ({ first }: { first: string }) => {
  const say = useText(text)
  const isBusy = usePhone().calls.some(isOwn)
  const [typed, setTyped] = useState(first === '' ? '' : dialable(first))
  const { number, name } = partyOf(typed)
  const call = (event: FormEvent): void => {
    event.preventDefault()
    if (number === '') return
    phoneLine.call(number, name === undefined ? {} : { name })
    setTyped('')
  }
  return (
    <Section title={say.dial}>
      <form onSubmit={call}>
        <Stack gap="md">
          <Group align="flex-end" gap="xs" wrap="nowrap">
            <div style={{ flex: 1, minWidth: 0 }}>
              <PartyField
                label={say.number}
                description={say.numberHint}
                value={typed}
                onChange={setTyped}
                size="lg"
                autoFocus={first !== ''}
              />
            </div>
            <ActionIcon
              size={50}
              variant="default"
              aria-label={say.erase}
              disabled={typed === ''}
              onClick={() => setTyped(typed.slice(0, -1))}
            >
              <Icon name="arrowLeft" />
            </ActionIcon>
          </Group>
          <CallPrice to={number} />
          <Keypad label={say.keypad} onPress={(digit) => setTyped(typed + digit)} />
          <Button
            type="submit"
            size="md"
            leftSection={<Icon name="phone" />}
            disabled={number === '' || !isSoundPossible()}
            variant={isBusy ? 'light' : 'filled'}
          >
            {say.call}
          </Button>
        </Stack>
      </form>
    </Section>
  )
}
