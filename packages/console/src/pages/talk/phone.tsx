import { Alert, Button, Stack, Text, ActionIcon, TextInput } from '@mantine/core'
import { memo, useId, useState, type FormEvent, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { CallButtons } from './call-buttons.tsx'
import { Keypad, useTelephoneKeys } from '#lazy-parts/keypad.tsx'
import { LineLost, type Talk, type TalkView } from './talk.ts'
import { text } from './text.ts'
import { columns, type Levels, type Side } from './sound/levels.ts'
import classes from './waveform.module.css'

/** Limit of the service. */
const maxCharacters = 2_000

interface TextLineProps {
  onSend: (words: string) => void
  /** The service's remark about the last text. */
  remark: string | undefined
  /** The talk has no microphone: the user can type immediately. */
  isOnlyWay: boolean
}

/** Typed instead of spoken input. */
const TextLine = ({ onSend, remark, isOnlyWay }: TextLineProps) => {
  const say = useText(text)
  const [words, setWords] = useState('')
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (words.trim() === '') return
    onSend(words.trim())
    setWords('')
  }
  return (
    <form onSubmit={send}>
      <TextInput
        label={say.write}
        placeholder={say.writeHint}
        maxLength={maxCharacters}
        autoComplete="off"
        autoFocus={isOnlyWay}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        error={remark}
        rightSection={
          <ActionIcon type="submit" aria-label={say.send} disabled={words.trim() === ''}>
            <Icon name="send" size={16} />
          </ActionIcon>
        }
      />
    </form>
  )
}

const height = 96
/** Milliseconds between redraws, for users who prefer reduced motion. */
const cooldownMs = 500

/** Loudness of both sides, one above the other; newest at the right. */
const Waveform = ({ levels, running }: { levels: Levels; running: boolean }) => {
  const say = useText(text)
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const element = canvas.current
    if (!element) return undefined
    draw(element, levels)
    if (!running) return undefined
    return repeat(() => draw(element, levels))
  }, [levels, running])
  return (
    <figure className={classes.figure}>
      <canvas ref={canvas} className={classes.canvas} height={height} role="img" aria-label={say.waveform} />
      <figcaption className={classes.caption}>
        <span data-side="caller">{say.you}</span>
        <span data-side="assistant">{say.assistant}</span>
      </figcaption>
    </figure>
  )
}

/** Once per animation frame. */
const repeat = (work: () => void): (() => void) => {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
    const timer = setInterval(work, cooldownMs)
    return () => clearInterval(timer)
  }
  let next = 0
  const step = (): void => {
    work()
    next = requestAnimationFrame(step)
  }
  step()
  return () => cancelAnimationFrame(next)
}

const draw = (canvas: HTMLCanvasElement, levels: Levels): void => {
  const context = canvas.getContext('2d')
  if (!context) return
  const width = Math.max(1, canvas.clientWidth)
  if (canvas.width !== width) canvas.width = width
  context.clearRect(0, 0, width, height)
  // The browser returns custom properties unresolved, with both colour schemes; these properties are resolved.
  const { color, outlineColor } = getComputedStyle(canvas)
  drawSide(context, levels.read('caller'), color, 'caller')
  drawSide(context, levels.read('assistant'), outlineColor, 'assistant')
}

/** Hearing is not linear either: soft speech would be a flat line. */
const seen = (loudness: number): number => Math.sqrt(loudness)

const drawSide = (context: CanvasRenderingContext2D, loudness: Float32Array, colour: string, side: Side): void => {
  const middle = height / 2
  const step = context.canvas.width / columns
  context.fillStyle = colour
  for (const [index, value] of loudness.entries()) {
    const length = Math.max(1, seen(value) * (middle - 2))
    context.fillRect(index * step, side === 'caller' ? middle - length : middle, Math.max(1, step * 0.8), length)
  }
}

interface PhoneProps {
  talk: Talk
  view: TalkView
  /** `silently`: without requesting the microphone. */
  onCall: (silently: boolean) => void
  /** Why the call ended, if known. */
  explanation: string | undefined
  /** The call in figures. */
  summary: string | undefined
}

/** A telephone in the page, with microphone, loudspeaker, keys and a text line. Not rendered on every event. */
export const Phone = memo(({ talk, view, onCall, explanation, summary }: PhoneProps) => {
  const say = useText(text)
  const inCall = view.state === 'answered'
  const keypadId = useId()
  const [hasKeypad, setKeypad] = useState(false)
  const lit = useTelephoneKeys(inCall, (digit) => talk.press(digit))
  return (
    <Stack gap="md">
      <Waveform levels={talk.levels} running={inCall} />
      <CallButtons
        view={view}
        onCall={onCall}
        onHangUp={() => talk.hangUp()}
        onMute={(muted) => talk.mute(muted)}
        keypad={{ id: keypadId, isShown: hasKeypad, onToggle: () => setKeypad(!hasKeypad) }}
      />
      <Notices view={view} ended={[explanation, summary]} onType={() => onCall(true)} />
      {inCall && <TextLine onSend={(words) => talk.write(words)} remark={view.remark} isOnlyWay={!view.hasMicrophone} />}
      {inCall && hasKeypad && (
        <div id={keypadId}>
          <Keypad label={say.keypad} lit={lit} onPress={(digit) => talk.press(digit)} />
          <Text size="xs" c="dimmed" ta="center" mt={6}>
            {say.keypadHint}
          </Text>
        </div>
      )}
    </Stack>
  )
})

type NoticesProps = { view: TalkView; ended: readonly (string | undefined)[]; onType: () => void }

const Notices = ({ view, ended, onType }: NoticesProps) => {
  const say = useText(text)
  const { state, microphoneProblem, failure, hasMicrophone, hasSound, callId } = view
  const isOver = state === 'ended'
  return (
    <>
      {microphoneProblem && (
        <Alert color="yellow" role="alert" icon={<Icon name="microphoneOff" />} title={say.microphone[microphoneProblem].title}>
          <Text size="sm">{say.microphone[microphoneProblem].body}</Text>
          {state === 'idle' && (
            <Button size="xs" variant="default" mt="sm" onClick={onType}>
              {say.goOnTyping}
            </Button>
          )}
        </Alert>
      )}
      {state === 'answered' && !hasMicrophone && (
        <Text size="sm" c="dimmed">
          {hasSound ? say.listenOnly : say.textOnly}
        </Text>
      )}
      {failure instanceof LineLost ? (
        <Alert color="red">{callId === undefined ? say.notTaken : say.lineLost}</Alert>
      ) : (
        <ErrorNotice error={failure} />
      )}
      {isOver && callId !== undefined && (
        <Alert color="gray" title={say.endedTitle} role="status">
          {ended.map(
            (line) =>
              line !== undefined && (
                <Text key={line} size="sm">
                  {line}
                </Text>
              ),
          )}
          <Button component={Link} href={`/calls/${callId}`} size="xs" variant="default" mt="xs">
            {say.toCall}
          </Button>
        </Alert>
      )}
    </>
  )
}
