import { Alert, Button, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { forget, keep } from '#api/kept.ts'
import type { MicrophoneProblem } from '#api/phone/calls.ts'
import { phoneLine, ringsHere, usePhone, type LineState } from '#api/phone/phone-line.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { text as barText } from '#phone/bar/text.ts'
import { isPushed, startPush, stopPush, type PushProblem } from '#phone/push.ts'
import { isSoundPossible, MicrophoneError, openMicrophone } from '#phone/sound/microphone.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from './text.ts'

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

/** The microphone is asked for now: when somebody calls there is no time for questions. */
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

/** `tel:` links of other websites. Browsers ask the person themselves. */
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
