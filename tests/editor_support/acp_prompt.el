;; A prompt through acp.el, the client library of agent-shell, and what came of it as JSON on stdout:
;; emacs -Q --batch -L DIRECTORY-OF-ACP-EL -l acp_prompt.el AGENT CWD OPTION-KIND

(require 'acp)

(defvar placet-asked [] "Titles of the permission requests.")
(defvar placet-text "" "Text of the answer.")
(defvar placet-files [] "Methods of the requests for files.")
(defvar placet-errors [] "What the agent wrote to stderr.")

(defun placet-file (client request)
  "Answer a REQUEST of the agent for a file from CLIENT, as agent-shell does: by the buffer that visits the file."
  (let-alist request
    (setq placet-files (vconcat placet-files (list .method)))
    (with-current-buffer (find-file-noselect .params.path)
      (acp-send-response
       :client client
       :response
       (if (equal .method "fs/read_text_file")
           (acp-make-fs-read-text-file-response
            :request-id .id :content (buffer-substring-no-properties (point-min) (point-max)))
         (let ((new (generate-new-buffer " *new*")))
           (with-current-buffer new (insert .params.content))
           (replace-buffer-contents new)
           (kill-buffer new)
           (let ((inhibit-message t)) (save-buffer))
           (acp-make-fs-write-text-file-response :request-id .id)))))))

(pcase-let ((`(,agent ,cwd ,kind) command-line-args-left))
  (setq command-line-args-left nil)
  ;; The user has typed into the buffer and not saved.
  (with-current-buffer (find-file-noselect (expand-file-name "a.txt" cwd))
    (goto-char (point-max))
    (insert "typed\n"))
  (let ((client (acp-make-client :context-buffer (current-buffer) :command agent)))
    (acp-subscribe-to-errors
     :client client :on-error (lambda (error) (setq placet-errors (vconcat placet-errors (list (map-elt error 'message))))))
    (acp-subscribe-to-notifications
     :client client
     :on-notification (lambda (notification)
                        (let-alist notification
                          (when (equal .params.update.sessionUpdate "agent_message_chunk")
                            (setq placet-text (concat placet-text .params.update.content.text))))))
    (acp-subscribe-to-requests
     :client client
     :on-request (lambda (request)
                   (let-alist request
                     (if (equal .method "session/request_permission")
                         (let ((option (seq-find (lambda (option) (equal (map-elt option 'kind) kind)) .params.options)))
                           (setq placet-asked (vconcat placet-asked (list .params.toolCall.title)))
                           (acp-send-response
                            :client client
                            :response (acp-make-session-request-permission-response
                                       :request-id .id :option-id (map-elt option 'optionId))))
                       (placet-file client request)))))
    (acp-send-request
     :client client :sync t
     :request (acp-make-initialize-request
               :protocol-version 1 :client-info '((name . "agent-shell") (version . "1"))
               :read-text-file-capability t :write-text-file-capability t))
    (let* ((session (acp-send-request :client client :sync t :request (acp-make-session-new-request :cwd cwd)))
           (prompted (acp-send-request
                      :client client :sync t
                      :request (acp-make-session-prompt-request
                                :session-id (map-elt session 'sessionId)
                                :prompt '[((type . "text") (text . "Make it new."))]))))
      (princ (json-serialize
              `((stopReason . ,(map-elt prompted 'stopReason))
                (asked . ,placet-asked)
                (files . ,placet-files)
                (text . ,placet-text)
                (errors . ,placet-errors)
                (buffer . ,(with-current-buffer (find-buffer-visiting (expand-file-name "a.txt" cwd))
                             (buffer-string)))))))
    (acp-shutdown :client client)))
