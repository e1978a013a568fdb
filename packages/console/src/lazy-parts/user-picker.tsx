import { Select } from '@mantine/core'
import { useText } from '../words/use-text.tsx'
import { fullName, type Whose } from './people.ts'
import { text } from './text.ts'

/** Chooses the user whose data is shown. Empty without a choice. */
export const UserPicker = ({ whose: { userId, users, choose } }: { whose: Whose }) => {
  const say = useText(text)
  if (users.length < 2) return null
  return (
    <Select
      aria-label={say.ofWhom}
      data={users.map((user) => ({ value: user.id, label: fullName(user) }))}
      value={userId ?? null}
      onChange={(chosen) => chosen !== null && choose(chosen)}
      allowDeselect={false}
      searchable={users.length > 8}
      w={{ base: '100%', xs: 220 }}
    />
  )
}
