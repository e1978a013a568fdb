import { Alert, Button, CloseButton, Group, Text } from '@mantine/core'
import { useEffect, useId, useRef } from 'react'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { isOwn, isRunning, isWaiting, joinable, spokenIn, type PhoneCall } from '#api/phone/calls.ts'
import { phoneLine, usePhone } from '#api/phone/phone-line.ts'
import { CallRow } from './call-row.tsx'
import classes from './call-bar.module.css'
import { text } from './text.ts'
import { usePartyName } from './use-party-name.ts'

/** The calls of this page, above all pages: ringing ones at the top, running ones at the bottom. */
export const CallBar = () => {
  const { calls, state } = usePhone()
  const say = useText(text)
  const waiting = calls.filter(isWaiting)
  const shown = calls.filter((call) => !isWaiting(call))
  const spoken = spokenIn(calls)
  const isBusy = calls.some(isOwn)
  useIncomingTitle(waiting[0])
  useAskBeforeClosing(isBusy)
  return (
    <>
      <Announcement calls={calls} />
      {waiting.length > 0 && (
        <div className={classes.incoming}>
          {waiting.map((call) => (
            <IncomingCall key={call.id} call={call} isBusy={isBusy} />
          ))}
        </div>
      )}
      <Troubles />
      {shown.length > 0 && (
        <section className={classes.bar} aria-label={say.bar}>
          {shown.map((call) => (
            <CallRow key={call.id} call={call} isSpoken={call.id === spoken?.id} />
          ))}
          <Join calls={calls} />
          {isBusy && state === 'away' && <p className={classes.remark}>{say.away}</p>}
        </section>
      )}
    </>
  )
}

/** Two calls, one of them held: connects their other parties. */
const Join = ({ calls }: { calls: readonly PhoneCall[] }) => {
  const say = useText(text)
  const nameOf = usePartyName()
  const pair = joinable(calls)
  if (pair === undefined) return null
  const [spoken, other] = pair
  return (
    <Button
      size="xs"
      variant="light"
      className={classes.join}
      leftSection={<Icon name="shuffle" size={16} />}
      onClick={() => phoneLine.wish((phone) => phone.join(other.id, spoken.id))}
    >
      {say.join(nameOf(other.party).name, nameOf(spoken.party).name)}
    </Button>
  )
}

/** Why a call failed, if there is no call to show it at. */
const Troubles = () => {
  const { failure, microphoneProblem } = usePhone()
  const say = useText(text)
  const close = (): void => phoneLine.change({ failure: undefined, microphoneProblem: undefined })
  if (failure === undefined && microphoneProblem === undefined) return null
  return (
    <div className={classes.trouble} role="alert">
      {microphoneProblem !== undefined && (
        <Alert color="yellow" icon={<Icon name="microphoneOff" />}>
          {say.microphone[microphoneProblem]}
        </Alert>
      )}
      <ErrorNotice error={failure} />
      <CloseButton className={classes.dismiss} aria-label={say.dismiss} onClick={close} />
    </div>
  )
}

/** For screen readers: the caller, and the state of a call. */
const Announcement = ({ calls }: { calls: readonly PhoneCall[] }) => {
  const say = useText(text)
  const nameOf = usePartyName()
  const waiting = calls.find(isWaiting)
  const own = spokenIn(calls)
  const rest = own === undefined ? '' : `${own.held ? say.held : say.phases[own.phase]}: ${nameOf(own.party).name}`
  return (
    <div className="visually-hidden">
      <div role="alert">{waiting && say.calls(nameOf(waiting.party).name, waiting.line ?? '')}</div>
      <div role="status">{rest}</div>
    </div>
  )
}

/** Closing the page hangs up. */
const useAskBeforeClosing = (isBusy: boolean): void => {
  useEffect(() => {
    if (!isBusy) return undefined
    const ask = (event: BeforeUnloadEvent): void => {
      if (phoneLine.view.calls.some(isRunning)) event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isBusy])
}

/** Shows the caller in the page title while ringing, also visible in other tabs. */
const useIncomingTitle = (call: PhoneCall | undefined): void => {
  const say = useText(text)
  const nameOf = usePartyName()
  const title = call && say.incomingFrom(nameOf(call.party).name)
  useEffect(() => {
    if (title === undefined) return undefined
    const before = document.title
    document.title = title
    return () => {
      if (document.title === title) document.title = before
    }
  }, [title])
}

/** An incoming call. Does not steal the focus from a text field. */
const IncomingCall = ({ call, isBusy }: { call: PhoneCall; isBusy: boolean }) => {
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
