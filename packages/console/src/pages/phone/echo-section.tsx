import { Alert, Button, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { isOwn } from '#api/phone/calls.ts'
import { phoneLine, usePhone } from '#api/phone/phone-line.ts'
import { gradeOf } from '#api/phone/quality.ts'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { isSoundPossible } from '#phone/sound/microphone.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** As the contract has it; its file is not for browsers. */
const echoNumber = '*43'

type Result = { state: 'measuring' } | { state: 'measured'; ms: number | undefined }

/** A call to the service that comes straight back. */
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

/** Measured as soon as the call is there; what was measured stays when it is over. */
const useEcho = (callId: string | undefined): Result | undefined => {
  const [measured, setMeasured] = useState<{ callId: string; ms: number | undefined }>()
  useEffect(() => {
    if (callId !== undefined) phoneLine.wish(async (phone) => setMeasured({ callId, ms: await phone.measureEcho(callId) }))
  }, [callId])
  if (callId !== undefined && measured?.callId !== callId) return { state: 'measuring' }
  return measured && { state: 'measured', ms: measured.ms }
}
