import { ActionIcon, Text } from '@mantine/core'
import { phoneLine } from '#api/phone/phone-line.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { CallableNumber } from '#parts/phone-number.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { isSoundPossible } from '#phone/sound/microphone.ts'
import { useRecentCalls } from '#phone/use-suggestions.ts'
import { useText } from '#words/use-text.tsx'
import classes from './phone-page.module.css'
import { text } from './text.ts'

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
