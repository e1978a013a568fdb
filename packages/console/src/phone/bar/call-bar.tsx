import { Alert, Button, CloseButton } from '@mantine/core'
import { useEffect } from 'react'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { isOwn, isRunning, isWaiting, joinable, spokenIn, type PhoneCall } from '#api/phone/calls.ts'
import { phoneLine, usePhone } from '#api/phone/phone-line.ts'
import { CallRow } from './call-row.tsx'
import classes from './call-bar.module.css'
import { IncomingCall } from './incoming-call.tsx'
import { text } from './text.ts'
import { useIncomingTitle } from './use-incoming-title.ts'
import { usePartyName } from './use-party-name.ts'

/** The calls of this page, over all pages: those that ring at the top, those that run at the bottom. */
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

/** Two calls of which one is held: their other sides can be connected. */
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

/** Why there is no call, where there is no call to say it at. */
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

/** For those who do not see it: who calls, and how a call is. */
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
