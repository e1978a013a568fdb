import { Stack, Text, Title } from '@mantine/core'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import { useRead } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import type { TimelinePicture } from '../timeline/timeline-book.ts'
import { Findings } from './findings.tsx'
import { NextSteps } from './next-steps.tsx'
import { text } from './text.ts'
import { TurnWaits } from './turn-waits.tsx'

const ReplaySection = lazy(() => import('../replay/replay-section.tsx').then((part) => ({ default: part.ReplaySection })))

export interface ExplanationSectionProps {
  callId: string
  /** What findings point at. */
  picture: TimelinePicture
  /** Opens an entry of the timeline, by its sequence. */
  onEvidence: (sequence: number) => void
}

/** Why a call went as it did, in words, and what can be done about it. */
export const ExplanationSection = ({ callId, picture, onEvidence }: ExplanationSectionProps) => {
  const say = useText(text)
  const { language } = useLanguage()
  const explanation = useRead('explainCall', { callId, language })
  const [isReplaying, setReplaying] = useState(false)
  const flowId = explanation.data?.flowId
  return (
    <>
      <Section title={say.title}>
        <Loaded query={explanation}>
          {({ outcome, findings, turns }) => (
            <Stack gap="lg">
              <Text>{outcome}</Text>
              <Part title={say.findings}>
                <Findings findings={findings} picture={picture} onEvidence={onEvidence} />
              </Part>
              {turns.length > 0 && (
                <Part title={say.turns}>
                  <TurnWaits turns={turns} />
                </Part>
              )}
              {flowId !== undefined && (
                <Part title={say.next}>
                  <NextSteps
                    flowId={flowId}
                    callId={callId}
                    isRecorded={picture.entries.some((entry) => entry.kind === 'call' && entry.state === 'recording')}
                    isReplaying={isReplaying}
                    onReplay={() => setReplaying(!isReplaying)}
                  />
                </Part>
              )}
            </Stack>
          )}
        </Loaded>
      </Section>
      <Suspense>{isReplaying && flowId !== undefined && <ReplaySection flowId={flowId} callId={callId} />}</Suspense>
    </>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <Title order={3} mb="xs">
      {title}
    </Title>
    {children}
  </div>
)
