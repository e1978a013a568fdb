import { Anchor, CloseButton, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { Icon } from '#parts/icon/icon.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { useNow } from '#lazy-parts/use-now.ts'
import { endWordOf, isRunning, type PhoneCall } from '#api/phone/calls.ts'
import { phoneLine } from '#api/phone/phone-line.ts'
import { isSilent } from '#api/phone/quality.ts'
import { CallButtons, type Panel } from './call-buttons.tsx'
import classes from './call-bar.module.css'
import { Keys } from './keys.tsx'
import { QualityMark } from './quality-mark.tsx'
import { text } from './text.ts'
import { TransferPanel } from './transfer-panel.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import { usePartyName } from './use-party-name.ts'

/** One call: who, how long, what can be done with it. */
export const CallRow = ({ call, isSpoken }: { call: PhoneCall; isSpoken: boolean }) => {
  const say = useText(text)
  const { name } = usePartyName()(call.party)
  const row = useKeptFocus(call.phase)
  const [panel, setPanel] = useState<Panel>()
  const open = isRunning(call) ? panel : undefined
  const toggle = (wanted: Panel): void => setPanel(panel === wanted ? undefined : wanted)
  return (
    <div ref={row} role="group" aria-label={name} tabIndex={-1} className={classes.call} data-spoken={isSpoken}>
      {open === 'keys' && <Keys call={call} />}
      {open === 'transfer' && <TransferPanel call={call} onDone={() => setPanel(undefined)} />}
      <Remark call={call} />
      <div className={classes.row}>
        <Icon name={call.incoming ? 'phoneIn' : 'phoneOut'} />
        <Who call={call} />
        {isRunning(call) ? (
          <CallButtons call={call} isSpoken={isSpoken} panel={open} onPanel={toggle} />
        ) : (
          <CloseButton aria-label={say.dismiss} onClick={() => phoneLine.wish((phone) => phone.dismiss(call.id))} />
        )}
      </div>
    </div>
  )
}

const Who = ({ call }: { call: PhoneCall }) => {
  const say = useText(text)
  const { name, number } = usePartyName()(call.party)
  return (
    <div className={classes.who}>
      <Text fw={600} truncate title={number === '' ? name : `${name}, ${number}`}>
        {name}
      </Text>
      <Group gap={8} wrap="nowrap" className={classes.state}>
        <State call={call} />
        {call.quality && isRunning(call) && <QualityMark quality={call.quality} />}
        {call.coreCallId !== undefined && (
          <Anchor component={Link} href={`/calls/${call.coreCallId}`} size="xs">
            {say.details}
          </Anchor>
        )}
      </Group>
    </div>
  )
}

const State = ({ call }: { call: PhoneCall }) => {
  const say = useText(text)
  const { duration } = useFormat()
  const { phase, held, answeredAt, endedAt } = call
  const now = useNow(phase === 'talking')
  const words = phase === 'over' ? say.ended[endWordOf(call)] : held ? say.held : phase === 'talking' ? '' : say.phases[phase]
  return (
    <Text size="xs" c="dimmed" span>
      {words}
      {words === '' && answeredAt === undefined && say.connecting}
      {answeredAt !== undefined && (
        <>
          {words !== '' && ' · '}
          <span role="timer" aria-label={say.duration} aria-live="off" className={classes.clock}>
            {duration((endedAt ?? now) - answeredAt)}
          </span>
        </>
      )}
    </Text>
  )
}

/** What the person should know and does not see at the buttons. */
const Remark = ({ call }: { call: PhoneCall }) => {
  const say = useText(text)
  if (!isRunning(call)) return null
  const remarks = [
    call.problem,
    call.heldByOther && say.heldByOther,
    call.transfer === 'trying' && say.transferring,
    call.transfer === 'failed' && say.transferFailed,
    call.phase === 'talking' && !call.held && !call.heldByOther && call.quality && isSilent(call.quality) && say.noSound,
  ].filter(Boolean)
  if (remarks.length === 0) return null
  return (
    <p className={classes.remark} role="status">
      <Icon name="info" size={15} />
      {remarks.join(' ')}
    </p>
  )
}
