import { Anchor, CloseButton, Group, Text, Tooltip, Button, ActionIcon } from '@mantine/core'
import { useState, useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import { Link } from 'wouter'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { useNow } from '#lazy-parts/use-now.ts'
import { endWordOf, isRunning, type PhoneCall } from '#api/phone/calls.ts'
import { phoneLine } from '#api/phone/phone-line.ts'
import { isSilent, gradeOf, type Quality } from '#api/phone/quality.ts'
import classes from './call-bar.module.css'
import { text } from './text.ts'
import { usePartyName } from './use-party-name.ts'
import { Keypad, useTelephoneKeys } from '#lazy-parts/keypad.tsx'
import { PartyField, partyOf } from '../party-field.tsx'
import { useMay } from '#api/use-may.ts'

/** One call: party, duration, controls. */
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

/** Information that the buttons do not show. */
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

/**
 * Buttons of a call appear and disappear, which would reset the keyboard focus to the top of the page: keeps the focus within the call, and
 * returns it to the page after the call. `phase`: anything that changes the buttons.
 */
const useKeptFocus = (phase: string): RefObject<HTMLDivElement | null> => {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (document.activeElement === document.body) row.current?.focus({ preventScroll: true })
  }, [phase])
  useLayoutEffect(() => {
    const shown = row.current
    return () => {
      if (shown?.contains(document.activeElement)) document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true })
    }
  }, [])
  return row
}

/** Three bars, as on phones, with the figures behind. */
const QualityMark = ({ quality }: { quality: Quality }) => {
  const say = useText(text)
  const { number } = useFormat()
  const grade = gradeOf(quality)
  const rtt = quality.rttMs === undefined ? '–' : number(quality.rttMs)
  const figures = say.figures(number(quality.lossPct, 1), number(quality.jitterMs), rtt)
  return (
    <Tooltip label={`${say.quality[grade]}. ${figures}`}>
      <span className={classes.quality} data-grade={grade} role="img" aria-label={`${say.quality[grade]}. ${figures}`}>
        <i />
        <i />
        <i />
      </span>
    </Tooltip>
  )
}

/** For remote menus: each key is sent as it is pressed, here or on the keyboard. */
const Keys = ({ call }: { call: PhoneCall }) => {
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

/** Transfer: blind, or after a consultation while this call is held. */
const TransferPanel = ({ call, onDone }: { call: PhoneCall; onDone: () => void }) => {
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

type Panel = 'keys' | 'transfer'

interface CallButtonsProps {
  call: PhoneCall
  /** The active call; the others can only be switched to or ended. */
  isSpoken: boolean
  panel: Panel | undefined
  onPanel: (panel: Panel) => void
}

const CallButtons = ({ call, isSpoken, panel, onPanel }: CallButtonsProps) => {
  const say = useText(text)
  const mayRecord = useMay()('CAN_CONTROL_CALLS')
  const { id, phase, held, muted, recording } = call
  const talks = phase === 'talking'
  return (
    <div className={classes.buttons}>
      {talks && !isSpoken && (
        <Button
          size="xs"
          variant="light"
          leftSection={<Icon name="switch" size={16} />}
          onClick={() => phoneLine.wish((phone) => phone.hold(id, false))}
        >
          {say.switchTo}
        </Button>
      )}
      {talks && isSpoken && (
        <>
          <Tool
            icon={muted ? 'microphoneOff' : 'microphone'}
            label={say.mute}
            pressed={muted}
            onClick={() => phoneLine.wish((phone) => phone.mute(id, !muted))}
          />
          <Tool
            icon={held ? 'play' : 'pause'}
            label={held ? say.resume : say.hold}
            pressed={held}
            onClick={() => phoneLine.wish((phone) => phone.hold(id, !held))}
          />
          <Tool icon="keypad" label={say.keypad} expanded={panel === 'keys'} onClick={() => onPanel('keys')} />
          <Tool icon="forward" label={say.transfer} expanded={panel === 'transfer'} onClick={() => onPanel('transfer')} />
          {mayRecord && (
            <Tool
              icon="record"
              label={recording ? say.recording : say.record}
              pressed={recording}
              onClick={() => phoneLine.wish((phone) => phone.record(id, !recording))}
            />
          )}
        </>
      )}
      <Tooltip label={say.hangUp}>
        <ActionIcon
          size="lg"
          variant="filled"
          color="red.8"
          aria-label={say.hangUp}
          onClick={() => phoneLine.wish((phone) => phone.hangUp(id))}
        >
          <Icon name="hangUp" />
        </ActionIcon>
      </Tooltip>
    </div>
  )
}

interface ToolProps {
  icon: IconName
  label: string
  onClick: () => void
  /** For toggles. */
  pressed?: boolean
  /** For buttons that open something. */
  expanded?: boolean
}

const Tool = ({ icon, label, onClick, pressed, expanded }: ToolProps) => (
  <Tooltip label={label}>
    <ActionIcon
      size="lg"
      variant={pressed === true || expanded === true ? 'light' : 'subtle'}
      color={pressed === true ? 'yellow' : 'gray'}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      onClick={onClick}
    >
      <Icon name={icon} />
    </ActionIcon>
  </Tooltip>
)
