import { Alert, Button, Group, Text } from '@mantine/core'
import { useEffect, useId, useRef } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import type { PhoneCall } from '#api/phone/calls.ts'
import { phoneLine } from '#api/phone/phone-line.ts'
import classes from './call-bar.module.css'
import { text } from './text.ts'
import { usePartyName } from './use-party-name.ts'

/** Somebody calls. Who is typing goes on typing: the focus comes here only from where it does not matter. */
export const IncomingCall = ({ call, isBusy }: { call: PhoneCall; isBusy: boolean }) => {
  const say = useText(text)
  const { name, number } = usePartyName()(call.party)
  const [titleId, textId] = [useId(), useId()]
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const focused = document.activeElement
    if (focused === null || focused === document.body || focused.id === 'content') frame.current?.focus()
  }, [])
  return (
    <div ref={frame} role="alertdialog" aria-labelledby={titleId} aria-describedby={textId} tabIndex={-1} className={classes.card}>
      <Text id={titleId} size="xs" c="dimmed">
        {say.incoming}
      </Text>
      <div id={textId}>
        <Text fw={650} size="lg" lineClamp={2}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {[number, call.line].filter(Boolean).join(' → ')}
        </Text>
      </div>
      {call.microphoneProblem !== undefined && (
        <Alert color="yellow" mt="xs" role="alert">
          {say.microphone[call.microphoneProblem]}
        </Alert>
      )}
      <Group gap="xs" mt="sm">
        <Button leftSection={<Icon name="phone" size={16} />} onClick={() => phoneLine.wish((phone) => phone.accept(call.id))}>
          {isBusy ? say.holdAndAccept : say.accept}
        </Button>
        <Button
          variant="default"
          leftSection={<Icon name="hangUp" size={16} />}
          onClick={() => phoneLine.wish((phone) => phone.decline(call.id))}
        >
          {say.decline}
        </Button>
      </Group>
    </div>
  )
}
