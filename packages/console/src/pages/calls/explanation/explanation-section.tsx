import { Button, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useRead } from '#api/use-service.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import type { TimelinePicture } from '../timeline/timeline-book.ts'
import { Findings } from './findings.tsx'
import { text } from './text.ts'
import { TurnWaits } from './turn-waits.tsx'
import type { Explanation } from './waits.ts'

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
  return (
    <Section title={say.title}>
      <Loaded query={explanation}>
        {(explained) => (
          <Stack gap="lg">
            <Text>{explained.outcome}</Text>
            <Part title={say.findings}>
              <Findings findings={explained.findings} picture={picture} onEvidence={onEvidence} />
            </Part>
            {explained.turns.length > 0 && (
              <Part title={say.turns}>
                <TurnWaits turns={explained.turns} />
              </Part>
            )}
            <NextSteps explained={explained} />
          </Stack>
        )}
      </Loaded>
    </Section>
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

/** Only calls that an assistant had can be changed by something that is set here. */
const NextSteps = ({ explained: { flowId } }: { explained: Explanation }) => {
  const say = useText(text)
  if (flowId === undefined) return null
  return (
    <Part title={say.next}>
      <Group gap="xs">
        <Button component={Link} href={`/flows/${flowId}`} variant="default" leftSection={<Icon name="settings" size={16} />}>
          {say.toFlow}
        </Button>
      </Group>
    </Part>
  )
}
