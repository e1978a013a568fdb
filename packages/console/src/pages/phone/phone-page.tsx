import { Alert, Box, Stack, ActionIcon, Text, Button, Group, Switch } from '@mantine/core'
import { useEffect, useState, type FormEvent } from 'react'
import { useSearchParams } from 'wouter'
import { phoneLine, usePhone, ringsHere, type LineState } from '#api/phone/phone-line.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Page } from '#parts/page/page.tsx'
import { isSoundPossible, MicrophoneError, openMicrophone } from '#phone/sound/microphone.ts'
import { useText, useLanguage } from '#words/use-text.tsx'
import classes from './phone-page.module.css'
import { SoundSection } from './sound-section.tsx'
import { text } from './text.ts'
import { Section } from '#parts/page/section.tsx'
import { CallableNumber } from '#parts/phone-number.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useRecentCalls } from '#phone/use-suggestions.ts'
import { PartyField, partyOf } from '#phone/party-field.tsx'
import { isOwn, dialable, type MicrophoneProblem } from '#api/phone/calls.ts'
import { gradeOf } from '#api/phone/quality.ts'
import { CallPrice } from '#lazy-parts/call-price.tsx'
import { Keypad } from '#lazy-parts/keypad.tsx'
import { forget, keep } from '#api/kept.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { text as barText } from '#phone/bar/text.ts'
import { isPushed, startPush, stopPush, type PushProblem } from '#phone/push.ts'

/** The telephone: dialling, audio and ringing. `?dial=` fills in a number, `?answer=` answers the call of a notification. */
export const PhonePage = () => {
  const say = useText(text)
  const [search] = useSearchParams()
  useAnswer()
  const dial = search.get('dial') ?? ''
  return (
    <Page title={say.title} description={say.lead}>
      {!isSoundPossible() && (
        <Alert color="yellow" icon={<Icon name="microphoneOff" />} title={say.insecureTitle}>
          {say.insecure}
        </Alert>
      )}
      <Box className={classes.desk}>
        <Stack gap="lg">
          <DialSection key={dial} first={dial} />
          <RecentCalls />
        </Stack>
        <Stack gap="lg">
          <BrowserSection />
          <SoundSection />
          <EchoSection />
        </Stack>
      </Box>
    </Page>
  )
}

/** Once: removes it from the address, or a reload would answer the next call. */
const useAnswer = (): void => {
  const [search, setSearch] = useSearchParams()
  const answer = search.get('answer')
  useEffect(() => {
    if (answer === null) return
    setSearch({}, { replace: true })
    phoneLine.wish((phone) => phone.accept(answer))
  }, [answer, setSearch])
}

const shown = 8

export const RecentCalls = () => {
  const say = useText(text)
  const { phone } = useFormat()
  const recent = useRecentCalls(true).slice(0, shown)
  return (
    <Section title={say.recent}>
      {recent.length === 0 && <Text c="dimmed">{say.noRecent}</Text>}
      <ul className={classes.recent}>
        {recent.map(({ name, number }) => (
          <li key={number}>
            <CallableNumber number={number} {...(name !== '' && { name })} />
            <ActionIcon
              variant="light"
              size="lg"
              aria-label={say.callAgain(name === '' ? phone(number) : name)}
              disabled={!isSoundPossible()}
              onClick={() => phoneLine.call(number, name === '' ? {} : { name })}
            >
              <Icon name="phone" />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** As in the contract, whose file is not for browsers. */
const echoNumber = '*43'

type Result = { state: 'measuring' } | { state: 'measured'; ms: number | undefined }

/** An echo test call to the service. */
export const EchoSection = () => {
  const say = useText(text)
  const { calls } = usePhone()
  const call = calls.find((one) => one.party.number === echoNumber && isOwn(one))
  const result = useEcho(call?.phase === 'talking' && call.answeredAt !== undefined ? call.id : undefined)
  return (
    <Section title={say.echo} description={say.echoLead}>
      <Stack gap="sm" align="flex-start">
        <Button
          variant="default"
          disabled={call !== undefined || !isSoundPossible()}
          onClick={() => phoneLine.call(echoNumber, { name: say.echo })}
        >
          {say.startEcho}
        </Button>
        <div role="status">
          {result?.state === 'measuring' && <Text size="sm">{say.measuring}</Text>}
          {result?.state === 'measured' && <Outcome ms={result.ms} />}
          {result?.state === 'measured' && call && <Text size="sm">{say.echoSpeak}</Text>}
        </div>
      </Stack>
    </Section>
  )
}

const Outcome = ({ ms }: { ms: number | undefined }) => {
  const say = useText(text)
  const { number } = useFormat()
  if (ms === undefined) return <Alert color="yellow">{say.nothingBack}</Alert>
  const verdict = gradeOf({ lossPct: 0, jitterMs: 0, silentMs: 0, rttMs: ms })
  return (
    <>
      <Text fw={600}>{say.roundTrip(number(ms))}</Text>
      <Text size="sm">{say.verdicts[verdict]}</Text>
    </>
  )
}

/** Measured as soon as the call is up; the result stays afterwards. */
const useEcho = (callId: string | undefined): Result | undefined => {
  const [measured, setMeasured] = useState<{ callId: string; ms: number | undefined }>()
  useEffect(() => {
    if (callId !== undefined) phoneLine.wish(async (phone) => setMeasured({ callId, ms: await phone.measureEcho(callId) }))
  }, [callId])
  if (callId !== undefined && measured?.callId !== callId) return { state: 'measuring' }
  return measured && { state: 'measured', ms: measured.ms }
}

/** `first`: initial value. Never dialled without a click: any website may have put it there. */
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

const tones: Readonly<Record<LineState, Tone>> = { off: 'quiet', connecting: 'busy', ready: 'good', away: 'warning' }

/** Whether and how calls reach this browser. */
export const BrowserSection = () => {
  const say = useText(text)
  const { state } = usePhone()
  return (
    <Section title={say.browser} actions={<StatusBadge tone={tones[state]}>{say.states[state]}</StatusBadge>}>
      <Stack gap="md">
        <RingSwitch />
        <PushSwitch />
        <PhoneLinks />
      </Stack>
    </Section>
  )
}

/** Requests the microphone now: during an incoming call there is no time for it. */
const RingSwitch = () => {
  const say = useText(text)
  const { microphone } = useText(barText)
  const [isOn, setOn] = useState(ringsHere)
  const [problem, setProblem] = useState<MicrophoneProblem>()
  const turn = async (on: boolean): Promise<void> => {
    setProblem(undefined)
    try {
      if (on) for (const track of (await openMicrophone()).getTracks()) track.stop()
    } catch (error) {
      setProblem(error instanceof MicrophoneError ? error.problem : 'busy')
      return
    }
    if (on) keep('phone.rings', 'yes')
    else forget('phone.rings')
    setOn(on)
    phoneLine.wish((phone) => phone.ring(on))
  }
  return (
    <>
      <Switch
        label={say.rings}
        description={say.ringsHint}
        checked={isOn}
        disabled={!isSoundPossible()}
        onChange={(event) => void turn(event.currentTarget.checked)}
      />
      {problem !== undefined && (
        <Alert color="yellow" role="alert">
          {microphone[problem]}
        </Alert>
      )}
    </>
  )
}

const PushSwitch = () => {
  const say = useText(text)
  const { language } = useLanguage()
  const [isOn, setOn] = useState(isPushed)
  const [problem, setProblem] = useState<PushProblem>()
  const [failure, setFailure] = useState<unknown>()
  const turn = async (on: boolean): Promise<void> => {
    setFailure(undefined)
    try {
      const found = on ? await startPush(language) : await stopPush()
      setProblem(found ?? undefined)
      setOn(isPushed())
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <>
      <Switch
        label={say.push}
        description={say.pushHint}
        checked={isOn}
        disabled={!isSecureContext}
        onChange={(event) => void turn(event.currentTarget.checked)}
      />
      {problem !== undefined && (
        <Alert color="yellow" role="alert">
          {say[problem]}
        </Alert>
      )}
      <ErrorNotice error={failure} />
    </>
  )
}

/** `tel:` links of other websites. The browser asks the person. */
const PhoneLinks = () => {
  const say = useText(text)
  const toast = useToast()
  if (!('registerProtocolHandler' in navigator) || !isSecureContext) return null
  const register = (): void => {
    try {
      navigator.registerProtocolHandler('tel', `${location.origin}/console/phone?dial=%s`)
      toast.done(say.linksAsked)
    } catch (error) {
      toast.failed(error)
    }
  }
  return (
    <div>
      <Button variant="default" size="xs" onClick={register}>
        {say.links}
      </Button>
      <Text size="xs" c="dimmed" mt={4}>
        {say.linksHint}
      </Text>
    </div>
  )
}
