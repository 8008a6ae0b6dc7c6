/** What a session without a word in it shows. */
export function Welcome({ isLoading }: { isLoading: boolean }) {
  if (isLoading) {
    return (
      <div class="welcome">
        <p>
          <span class="spinner" /> Opening the session…
        </p>
      </div>
    );
  }
  return (
    <div class="welcome">
      <p class="motto">Nothing changes without your placet.</p>
      <ul>
        {KEYS.map(([keys, meaning]) => (
          <li key={meaning}>
            {keys.map((key, index) => (
              <>
                {index > 0 && '+'}
                <kbd>{key}</kbd>
              </>
            ))}{' '}
            {meaning}
          </li>
        ))}
      </ul>
    </div>
  );
}

const KEYS: readonly [readonly string[], string][] = [
  [['@'], 'names files, symbols and agents'],
  [['/'], 'runs commands'],
  [['Shift', 'Enter'], 'begins a new line'],
  [['Escape'], 'stops a running turn'],
  [['Alt', '↑'], 'goes to the prompt before'],
];
